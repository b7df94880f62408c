// SPDX-License-Identifier: MIT
#include "sessions/conversations/conversation_rows.h"

#include <string>

#include "sessions/conversations/sql.h"
#include "sessions/conversations/title.h"

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

// True if no earlier question said enough for a title.
bool is_first_that_says_enough(Database& db, ConversationId conversation, MessageId question) {
  Statement rows = db.query(
      "SELECT content, EXISTS(SELECT 1 FROM attachment WHERE message = m.id) FROM message m"
      " WHERE conversation = ? AND id < ? AND role = 'user' ORDER BY id",
      conversation, question);
  while (rows.step()) {
    if (rows.integer(1) != 0 || !says_too_little(rows.bytes(0))) return false;
  }
  return true;
}

std::optional<Conversation> first_of(std::vector<Conversation> found) {
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

}  // namespace

void make_title(Database& db, ConversationId conversation, MessageId id,
                const NewMessage& question) {
  if (question.role != Role::user) return;
  Statement row = db.query("SELECT title = '' FROM conversation WHERE id = ? AND NOT title_given",
                           conversation);
  if (!row.step()) return;
  const bool has_title = row.integer(0) == 0;
  const bool says_enough = !says_too_little(question.content) || !question.attachments.empty();
  if (has_title && !(says_enough && is_first_that_says_enough(db, conversation, id))) return;
  db.run("UPDATE conversation SET title = ? WHERE id = ?",
         title_from_question(question.content, question.attachments), conversation);
}

void make_title_of_answer(Database& db, MessageId answer, std::string_view content) {
  Statement row = db.query(
      "SELECT c.id, q.content, EXISTS(SELECT 1 FROM attachment WHERE message = q.id)"
      " FROM message a JOIN message q ON q.id = a.parent"
      " JOIN conversation c ON c.id = a.conversation"
      " WHERE a.id = ? AND NOT c.title_given AND q.role = 'user' AND NOT EXISTS"
      " (SELECT 1 FROM message WHERE conversation = c.id AND id < q.id AND role = 'user')",
      answer);
  if (!row.step() || row.integer(2) != 0 || !says_too_little(row.bytes(1))) return;
  const std::string title = title_from_answer(content);
  if (title.empty()) return;
  db.run("UPDATE conversation SET title = ? WHERE id = ?", title, ConversationId{row.integer(0)});
}

void make_title_of_anything(Database& db, ConversationId conversation) {
  Statement rows = db.query(
      "SELECT content FROM message WHERE conversation = ? AND role <> 'system' ORDER BY id LIMIT 9",
      conversation);
  std::string title;
  while (is_blank_title(title) && rows.step()) title = title_from(rows.bytes(0));
  db.run("UPDATE conversation SET title = ? WHERE id = ? AND title = ''",
         is_blank_title(title) ? "Untitled" : title, conversation);
}

void mark_used(Database& db, ConversationId conversation) {
  db.run("UPDATE conversation SET used = (SELECT max(used) FROM conversation) + 1 WHERE id = ?",
         conversation);
}

void mark_used_by(Database& db, MessageId message) {
  Statement row = db.query("SELECT conversation FROM message WHERE id = ?", message);
  if (row.step()) mark_used(db, ConversationId{row.integer(0)});
}

std::optional<Conversation> read_conversation(Database& db, ConversationId id) {
  return first_of(select(db, "WHERE id = ?", id));
}

std::optional<Conversation> read_latest_conversation(Database& db) {
  return first_of(select(db, "ORDER BY used DESC, updated DESC, id DESC LIMIT 1"));
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
