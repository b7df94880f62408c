// SPDX-License-Identifier: MIT
// Conversations, without their messages, as rows of the database.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sessions/conversations/conversation.h"
#include "sessions/conversations/message.h"

namespace confab::sessions {

class Database;

std::optional<Conversation> read_conversation(Database& database, ConversationId id);
// The one that was last changed by a person or an answer, whatever the clock said; when all have
// only been imported, the one with the latest date.
std::optional<Conversation> read_latest_conversation(Database& database);
// Pinned ones first, then as they were last updated; -1: all.
std::vector<Conversation> list_conversations(Database& database, int limit);
// With exactly this title, or with one that begins so (A-Z equal to a-z); the latest first.
std::vector<Conversation> conversations_titled(Database& database, std::string_view title);
std::vector<Conversation> conversations_beginning(Database& database, std::string_view title);

// What follows writes, in the caller's transaction.
// It is now the latest.
void mark_used(Database& database, ConversationId conversation);
void mark_used_by(Database& database, MessageId message);
// Makes the title from a question, where a person has given none. A title that was made from small
// talk is made again from the first question that says more.
void make_title(Database& database, ConversationId conversation, MessageId id,
                const NewMessage& question);
// For the answer to a first question that said too little for a title.
void make_title_of_answer(Database& database, MessageId answer, std::string_view content);
// For one that still has none.
void make_title_of_anything(Database& database, ConversationId conversation);

}  // namespace confab::sessions
