// SPDX-License-Identifier: MIT
// Looks up conversations without opening them: by name, by the words in them, and by their first or
// last messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/conversation.h"
#include "sessions/conversations/message.h"
#include "sessions/conversations/search.h"

namespace confab::sessions {

class Database;
class Store;

// The shape of a conversation without its text: which message answers which, and where it branches.
struct OutlineMessage {
  MessageId id{};
  std::optional<MessageId> parent;
  Role role = Role::user;
  bool operator==(const OutlineMessage&) const = default;
};
// All branches of a conversation; parents come before their children.
using Outline = std::vector<OutlineMessage>;

Outline read_outline(Database& database, ConversationId conversation);

// The position of a message among its siblings: the messages with the same parent and the same
// role.
struct SiblingPosition {
  int index = 1;  // counted from 1
  int n = 1;
  bool operator==(const SiblingPosition&) const = default;
};
// The position of each of these messages in the outline; {1, 1} for a message that is not in it.
std::vector<SiblingPosition> sibling_positions(const Outline& outline,
                                               std::span<const MessageId> messages);

// The last message of the branch that was most recently continued below the next (1) or previous
// (-1) sibling. Returns nullopt if there is no such sibling.
std::optional<MessageId> sibling_branch(const Outline& outline, MessageId message, int direction);

// The beginning of a message, without its attachments and reasoning.
struct MessageBegin {
  Role role = Role::user;
  std::string text;  // cut at a byte, which may be inside a character
  bool operator==(const MessageBegin&) const = default;
};

class Catalog {
 public:
  // The store must outlive the catalog. No function here writes; all throw StoreError.
  explicit Catalog(Store& store);

  // The conversations that a person may mean by this name. "#7" is the conversation with that id,
  // whatever titles exist. Otherwise: all with exactly this title, and the one with this number as
  // its id. If there are none: those whose title begins with the name (A-Z equal to a-z). Empty if
  // nothing matches; if there are several, ask.
  std::vector<Conversation> find(std::string_view name);
  // Messages that match the words, in all conversations and branches: see
  // sessions/conversations/search.h.
  std::vector<SearchHit> search(std::string_view words, int limit = 20);
  // The last messages of the shown branch, in order, at most n_bytes of each. Empty if there is no
  // such conversation.
  std::vector<MessageBegin> last_messages(ConversationId conversation, int n_messages, int n_bytes);
  // The first messages in the order in which they were written, in the same form.
  std::vector<MessageBegin> first_messages(ConversationId conversation, int n_messages,
                                           int n_bytes);
  // All branches without their text. Empty if there is no such conversation.
  Outline outline(ConversationId conversation);
  // Statistics of the latest answers of the model with this name, newest first.
  std::vector<MessageStats> latest_stats(std::string_view model, int limit = 20);

 private:
  Database& db();

  Store& store_;
};

}  // namespace confab::sessions
