// SPDX-License-Identifier: MIT
// Full-text search over all conversations and branches.
//
// The index holds what was said and the names and texts of attachments; neither system prompts,
// which many conversations share, nor reasoning. A draft is not in it, since it changes every
// second: drafts are searched one by one, so that one whose writer died is found as well.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/message.h"

namespace confab::sessions {

class Database;

// A few words around what was found.
struct Snippet {
  struct Range {
    std::size_t begin, end;  // bytes of text
    bool operator==(const Range&) const = default;
  };
  std::string text;           // untrusted, as the message is
  std::vector<Range> marked;  // the words that were looked for, in order
};

struct SearchHit {
  ConversationId conversation{};
  std::string title;
  MessageId message{};
  Role role = Role::user;
  Time created{};
  Snippet snippet;
};

// What a person types, as an FTS5 query that is never a syntax error: messages must have all words,
// "words in quotes" one after the other; the last word, of two letters or more, may be the
// beginning of one. Empty: there is no word in it. Words after the 32nd are not looked for.
std::string search_query(std::string_view words);

// The latest messages that match, newest first. Throws StoreError.
std::vector<SearchHit> search(Database& database, std::string_view words, int limit);

// For Store, in the transaction of the change itself. Drafts and system prompts are left out.
void index_message(Database& database, MessageId message);
// Before the messages are deleted.
void unindex_conversation(Database& database, ConversationId conversation);
// Where words were deleted, the index keeps them in its older parts until these are merged, which
// takes seconds in a large one. forget_deleted() does as much of that as a person does not notice,
// in this transaction; true: there is more to do. begin_forgetting() is for each deletion.
void begin_forgetting(Database& database);
bool forget_deleted(Database& database);
bool is_forgetting(Database& database);

}  // namespace confab::sessions
