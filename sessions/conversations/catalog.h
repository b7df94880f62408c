// SPDX-License-Identifier: MIT
// Conversations looked up without being opened: by name, by what was said, by their last words.
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

// The shape of a conversation without what was said: which message answers which, and where it
// branches.
struct OutlineMessage {
  MessageId id{};
  std::optional<MessageId> parent;
  Role role = Role::user;
  bool operator==(const OutlineMessage&) const = default;
};
// All branches of a conversation, parents before their children.
using Outline = std::vector<OutlineMessage>;

Outline read_outline(Database& database, ConversationId conversation);

// Which of the messages that follow the same one, and have the same role, a message is.
struct SiblingPosition {
  int index = 1;  // from 1
  int n = 1;
  bool operator==(const SiblingPosition&) const = default;
};
// Of each of these messages of the outline; {1, 1} for one that is not in it.
std::vector<SiblingPosition> sibling_positions(const Outline& outline,
                                               std::span<const MessageId> messages);

// The end of the branch that was gone on with last behind the next (1) or previous (-1) sibling;
// nullopt: there is no such sibling.
std::optional<MessageId> sibling_branch(const Outline& outline, MessageId message, int direction);

// How a message begins, without its attachments and reasoning.
struct MessageBegin {
  Role role = Role::user;
  std::string text;  // cut at a byte, perhaps inside a character
  bool operator==(const MessageBegin&) const = default;
};

class Catalog {
 public:
  // The store must outlive the catalog. Nothing here writes; all throw StoreError.
  explicit Catalog(Store& store);

  // What a person may mean. "#7" is the conversation with that id, whatever titles there are. Else
  // those with exactly this title, and the one whose id it is; when there are none, those whose
  // title begins so (A-Z equal to a-z). Empty: none; several: ask.
  std::vector<Conversation> find(std::string_view name);
  // What matches the words, in all conversations and branches: see sessions/conversations/search.h.
  std::vector<SearchHit> search(std::string_view words, int limit = 20);
  // The last messages of the branch that is shown, in order, at most n_bytes of each. Empty: there
  // is no such conversation.
  std::vector<MessageBegin> last_messages(ConversationId conversation, int n_messages, int n_bytes);
  // The first messages, as they were written down, in the same way.
  std::vector<MessageBegin> first_messages(ConversationId conversation, int n_messages,
                                           int n_bytes);
  // All branches without what was said; empty: there is no such conversation.
  Outline outline(ConversationId conversation);
  // Of the latest answers of a model of this name, the newest first.
  std::vector<MessageStats> latest_stats(std::string_view model, int limit = 20);

 private:
  Database& db();

  Store& store_;
};

}  // namespace confab::sessions
