// SPDX-License-Identifier: MIT
#include "sessions/conversations/conversation_rows.h"

#include <string>

#include "sessions/conversations/sql.h"

namespace confab::sessions {
namespace {

template <class... Args>
std::vector<Conversation> select(Database& db, const char* rest, const Args&... args) {
  const std::string sql = std::string(
                              "SELECT id, title, head, created, updated,"
                              " (SELECT count(*) FROM message WHERE conversation ="
                              " conversation.id), pinned, title_given FROM conversation ") +
                          rest;
  std::vector<Conversation> conversations;
  for (Statement row = db.query(sql.c_str(), args...); row.step();)
    conversations.push_back({.id = ConversationId{row.integer(0)},
                             .title = row.bytes(1),
                             .head = MessageId{row.integer(2)},
                             .created = Time{Time::duration{row.integer(3)}},
                             .updated = Time{Time::duration{row.integer(4)}},
                             .n_messages = static_cast<int>(row.integer(5)),
                             .pinned = row.integer(6) != 0,
                             .title_given = row.integer(7) != 0});
  return conversations;
}

std::optional<Conversation> first_of(std::vector<Conversation> found) {
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

}  // namespace

std::optional<Conversation> read_conversation(Database& db, ConversationId id) {
  return first_of(select(db, "WHERE id = ?", id));
}

std::optional<Conversation> read_latest_conversation(Database& db) {
  return first_of(select(db, "ORDER BY updated DESC, id DESC LIMIT 1"));
}

std::vector<Conversation> list_conversations(Database& db, int limit) {
  return select(db, "ORDER BY pinned DESC, updated DESC, id DESC LIMIT ?", limit);
}

std::vector<Conversation> conversations_titled(Database& db, std::string_view title) {
  return select(db, "WHERE title = ? ORDER BY updated DESC, id DESC", title);
}

std::vector<Conversation> conversations_beginning(Database& db, std::string_view title) {
  return select(db,
                "WHERE substr(title, 1, length(?1)) = ?1 COLLATE NOCASE"
                " ORDER BY updated DESC, id DESC",
                title);
}

}  // namespace confab::sessions
