// SPDX-License-Identifier: MIT
// Conversations, without their messages, as rows of the database.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sessions/conversations/conversation.h"

namespace confab::sessions {

class Database;

std::optional<Conversation> read_conversation(Database& database, ConversationId id);
// The one that was last written to.
std::optional<Conversation> read_latest_conversation(Database& database);
// Pinned ones first, then as they were last updated; -1: all.
std::vector<Conversation> list_conversations(Database& database, int limit);
// With exactly this title, or with one that begins so (A-Z equal to a-z); the latest first.
std::vector<Conversation> conversations_titled(Database& database, std::string_view title);
std::vector<Conversation> conversations_beginning(Database& database, std::string_view title);

}  // namespace confab::sessions
