// SPDX-License-Identifier: MIT
// Messages and their attachments as rows in the database. Functions that write are called inside a
// transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/message.h"

namespace confab::sessions {

class Database;

// Token ids as a compact blob. Each id is a little-endian base-128 number; the high bit of a byte
// means that more bytes follow. Most ids take two bytes.
std::string encode_token_ids(std::span<const std::int32_t> ids);
// Returns nullopt if encode_token_ids() cannot have made this blob.
std::optional<std::vector<std::int32_t>> decode_token_ids(std::string_view blob);

// Inserts `message` as a child of `parent`, ignoring its own id, conversation and parent. Unless it
// is a draft, search finds it at once.
MessageId insert_message(Database& database, ConversationId conversation,
                         std::optional<MessageId> parent, const Message& message);
void write_reading(Database& database, MessageId message, Reading reading,
                   const std::optional<Memory>& memory);
void set_stats(Database& database, MessageId message, const MessageStats& stats);
// The path from the first message to this one; empty if there is no such message.
std::vector<Message> read_path(Database& database, MessageId last);
// The messages of all branches; parents come before their children.
std::vector<Message> read_tree(Database& database, ConversationId conversation);
// Statistics of the latest answers of a model, newest first. Looks only at the last 2000 messages.
std::vector<MessageStats> read_latest_stats(Database& database, std::string_view model, int limit);
// The row ids of the contents that a conversation's attachments use, to pass to delete_unused()
// after the conversation is deleted.
std::vector<std::int64_t> contents_of(Database& database, ConversationId conversation);
// Deletes those of these contents that no attachment uses any more.
void delete_unused(Database& database, std::span<const std::int64_t> contents);

}  // namespace confab::sessions
