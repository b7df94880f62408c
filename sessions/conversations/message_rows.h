// SPDX-License-Identifier: MIT
// Messages and their attachments as rows of the database. What writes is called in a transaction.
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

// Token ids as a compact blob: each as a little-endian base-128 number, the high bit of a byte
// telling that more follow. Most ids take two bytes.
std::string encode_token_ids(std::span<const std::int32_t> ids);
// nullopt: not a blob that encode_token_ids() makes.
std::optional<std::vector<std::int32_t>> decode_token_ids(std::string_view blob);

// Inserts `message` as a child of `parent`; its own id, conversation and parent do not matter. It
// can be found by search at once, unless it is a draft.
MessageId insert_message(Database& database, ConversationId conversation,
                         std::optional<MessageId> parent, const Message& message);
void write_reading(Database& database, MessageId message, Reading reading,
                   const std::optional<Memory>& memory);
void set_stats(Database& database, MessageId message, const MessageStats& stats);
// The path from the first message to this one; empty: there is no such message.
std::vector<Message> read_path(Database& database, MessageId last);
// Of all branches; parents before their children.
std::vector<Message> read_tree(Database& database, ConversationId conversation);
// Of the latest answers of a model, the newest first; looks at the last 2000 messages only.
std::vector<MessageStats> read_latest_stats(Database& database, std::string_view model, int limit);
// What the attachments of a conversation hold, by number, for delete_unused() after it is deleted.
std::vector<std::int64_t> contents_of(Database& database, ConversationId conversation);
// Deletes those of these contents that no attachment holds any more.
void delete_unused(Database& database, std::span<const std::int64_t> contents);

}  // namespace confab::sessions
