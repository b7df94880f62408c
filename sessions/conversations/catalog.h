// SPDX-License-Identifier: MIT
// Conversations looked up without being opened: by name, by what was said, by their last words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/conversation.h"
#include "sessions/conversations/outline.h"
#include "sessions/conversations/search.h"

namespace confab::sessions {

class Database;
class Store;

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
