// SPDX-License-Identifier: MIT
// Full-text search over all conversations and branches.
//
// The index holds the text of messages, and the names and texts of attachments. It holds neither
// system prompts, which many conversations share, nor reasoning. Drafts are not indexed, because
// they change every second; they are searched one by one, so that a draft whose writer died is
// found as well.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/message.h"

namespace confab::sessions {

class Database;

// A few words around a match.
struct Snippet {
  struct Range {
    std::size_t begin, end;  // byte offsets in text
    bool operator==(const Range&) const = default;
  };
  std::string text;           // as untrusted as the message
  std::vector<Range> marked;  // the matching words, in order
};

struct SearchHit {
  ConversationId conversation{};
  std::string title;
  MessageId message{};
  Role role = Role::user;
  Time created{};
  Snippet snippet;
};

// Turns what a person types into an FTS5 query that is never a syntax error. Messages must contain
// all words, and "words in quotes" in sequence. The last word, if it has two letters or more, may
// be the beginning of a word. Returns an empty query if there is no word. Words after the 32nd are
// ignored.
std::string search_query(std::string_view words);

// The latest messages that match, newest first. Throws StoreError.
std::vector<SearchHit> search(Database& database, std::string_view words, int limit);

// Store calls these in the transaction of the change itself. Drafts and system prompts are skipped.
void index_message(Database& database, MessageId message);
// Call this before the messages are deleted.
void unindex_conversation(Database& database, ConversationId conversation);
// The index keeps deleted words in its older parts until these are merged, which takes seconds in a
// large index. Each deletion calls begin_forgetting(). forget_deleted() merges as much as a person
// does not notice, in the current transaction, and returns true if there is more to do.
void begin_forgetting(Database& database);
bool forget_deleted(Database& database);
bool is_forgetting(Database& database);

}  // namespace confab::sessions
