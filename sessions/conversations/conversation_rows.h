// SPDX-License-Identifier: MIT
// Conversations, without their messages, as rows in the database.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sessions/conversations/conversation.h"
#include "sessions/conversations/message.h"

namespace confab::sessions {

class Database;

std::optional<Conversation> read_conversation(Database& database, ConversationId id);
// The conversation that a person or an answer changed last, whatever the clock said. If all were
// only imported: the one with the latest date.
std::optional<Conversation> read_latest_conversation(Database& database);
// Pinned conversations first, then by last update; limit -1: all.
std::vector<Conversation> list_conversations(Database& database, int limit);
// Conversations with exactly this title, and conversations whose title begins with it (A-Z equal to
// a-z); latest first.
std::vector<Conversation> conversations_titled(Database& database, std::string_view title);
std::vector<Conversation> conversations_beginning(Database& database, std::string_view title);

// The functions below write, in the caller's transaction.
// Marks the conversation as the one changed last.
void mark_used(Database& database, ConversationId conversation);
void mark_used_by(Database& database, MessageId message);
// Makes a title from a question, unless a person has given one. A title that was made from small
// talk is replaced by one from the first question that says more.
void make_title(Database& database, ConversationId conversation, MessageId id,
                const NewMessage& question);
// Makes a title from the answer to a first question that said too little for one.
void make_title_of_answer(Database& database, MessageId answer, std::string_view content);
// Makes a title for a conversation that still has none.
void make_title_of_anything(Database& database, ConversationId conversation);

}  // namespace confab::sessions
