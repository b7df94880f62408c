// SPDX-License-Identifier: MIT
#include "sessions/conversations/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "sessions/conversations/conversation_rows.h"
#include "sessions/conversations/message_rows.h"
#include "sessions/conversations/schema.h"
#include "sessions/conversations/search.h"
#include "sessions/conversations/sql.h"
#include "sessions/conversations/title.h"
#include "sessions/conversations/token_ids.h"
#include "sessions/error.h"

namespace confab::sessions {
namespace {

Time now() {
  return std::chrono::time_point_cast<Time::duration>(std::chrono::system_clock::now());
}

std::int64_t stored(Time time) {
  return time.time_since_epoch().count();
}

Message message_from(const NewMessage& message) {
  Message out;
  static_cast<NewMessage&>(out) = message;
  out.created = now();
  return out;
}

// True when no question before this one said enough for a title.
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

// A title that was made from small talk is made again from the first question that says more.
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

// For the answer to a first question that said too little for a title.
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

void move_head(Database& db, ConversationId conversation, MessageId head) {
  db.run("UPDATE conversation SET head = ?, updated = ? WHERE id = ?", head, stored(now()),
         conversation);
}

void require_message(Database& db, ConversationId conversation, MessageId message) {
  Statement row = db.query("SELECT conversation FROM message WHERE id = ?", message);
  if (row.step() && ConversationId{row.integer(0)} == conversation) return;
  throw StoreError(fmt::format("{}: conversation {} has no message {}", db.name(),
                               static_cast<std::int64_t>(conversation),
                               static_cast<std::int64_t>(message)));
}

MessageId require_head(Database& db, ConversationId conversation) {
  Statement row = db.query("SELECT head FROM conversation WHERE id = ?", conversation);
  if (row.step()) return MessageId{row.integer(0)};
  throw StoreError(fmt::format("{}: no conversation {}; it may have been deleted", db.name(),
                               static_cast<std::int64_t>(conversation)));
}

void require_draft(const Database& db, MessageId message, int n_changed) {
  if (n_changed == 1) return;
  throw StoreError(
      fmt::format("{}: message {} is not a draft; its conversation may have been deleted",
                  db.name(), static_cast<std::int64_t>(message)));
}

// The id of this message of a tree in the database. inserted: pairs of old and new ids, ascending.
MessageId new_id(const std::vector<std::pair<MessageId, MessageId>>& inserted, MessageId old) {
  const auto it =
      std::ranges::lower_bound(inserted, old, {}, &std::pair<MessageId, MessageId>::first);
  if (it != inserted.end() && it->first == old) return it->second;
  throw StoreError(fmt::format("a conversation to add refers to message {}, which is not before it",
                               static_cast<std::int64_t>(old)));
}

ConversationId insert_tree(Database& db, const ConversationTree& tree) {
  const Conversation& c = tree.conversation;
  db.run(
      "INSERT INTO conversation(title, title_given, pinned, head, created, updated)"
      " VALUES(?, ?, ?, 0, ?, ?)",
      c.title, c.title_given ? 1 : 0, c.pinned ? 1 : 0, stored(c.created), stored(c.updated));
  const ConversationId id{db.last_insert_id()};
  std::vector<std::pair<MessageId, MessageId>> inserted;
  for (Message message : tree.messages) {
    if (message.state == MessageState::draft) message.state = MessageState::stopped;
    std::optional<MessageId> parent;
    if (message.parent) parent = new_id(inserted, *message.parent);
    if (!inserted.empty() && message.id <= inserted.back().first)
      throw StoreError("a conversation to add has messages out of order");
    inserted.emplace_back(message.id, insert_message(db, id, parent, message));
    if (c.title.empty()) make_title(db, id, inserted.back().second, message);
    if (c.title.empty() && message.role == Role::assistant)
      make_title_of_answer(db, inserted.back().second, message.content);
  }
  db.run("UPDATE conversation SET head = ? WHERE id = ?", new_id(inserted, c.head), id);
  return id;
}

// A commit whose last sync fails reports an error, though it has worked.
bool is_finished_so(Database& db, MessageId message, MessageState state,
                    const AnswerContent& answer) {
  return db
      .query("SELECT 1 FROM message WHERE id = ? AND state = ? AND content = ? AND reasoning = ?",
             message, name_of(state), Blob{answer.content}, Blob{answer.reasoning})
      .step();
}

}  // namespace

Store::Store(std::unique_ptr<Database> database) : db_(std::move(database)) {
  migrate(*db_);
}
Store::Store(const std::filesystem::path& path) : Store(std::make_unique<Database>(path)) {}
Store Store::in_memory() {
  return Store(Database::in_memory());
}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;

const std::string& Store::read_only_reason() const noexcept {
  return db_->read_only_reason();
}

Appended Store::create_conversation(std::span<const NewMessage> messages, std::string_view title) {
  assert(!messages.empty());
  Transaction transaction(*db_);
  const std::int64_t time = stored(now());
  db_->run(
      "INSERT INTO conversation(title, title_given, head, created, updated) VALUES(?, ?, 0, ?, ?)",
      title, title.empty() ? 0 : 1, time, time);
  const ConversationId id{db_->last_insert_id()};
  std::optional<MessageId> last;
  for (const NewMessage& message : messages) {
    last = insert_message(*db_, id, last, message_from(message));
    make_title(*db_, id, *last, message);
  }
  move_head(*db_, id, last.value());
  transaction.commit();
  return {.conversation = id, .message = *last, .branched = false};
}

Appended Store::append_message(ConversationId conversation, std::optional<MessageId> parent,
                               const NewMessage& message, std::optional<MessageId> seen_head) {
  Transaction transaction(*db_);
  const MessageId head = require_head(*db_, conversation);
  if (parent) require_message(*db_, conversation, *parent);
  const MessageId id = insert_message(*db_, conversation, parent, message_from(message));
  make_title(*db_, conversation, id, message);
  move_head(*db_, conversation, id);
  transaction.commit();
  const bool branched = (seen_head ? seen_head : parent) != head;
  return {.conversation = conversation, .message = id, .branched = branched};
}

void Store::update_draft(MessageId message, const AnswerContent& answer) {
  Transaction transaction(*db_);
  require_draft(*db_, message,
                db_->run("UPDATE message SET content = ?, reasoning = ?, tokens = ?,"
                         " answer_begin = ? WHERE id = ? AND state = 'draft'",
                         Blob{answer.content}, Blob{answer.reasoning},
                         Blob{encode_token_ids(answer.tokens)}, answer.answer_begin, message));
  transaction.commit();
}

void Store::finish_message(MessageId message, MessageState state, const AnswerContent& answer,
                           const MessageStats& stats) {
  Transaction transaction(*db_);
  const int n_changed = db_->run(
      "UPDATE message SET state = ?, content = ?, reasoning = ?, tokens = ?,"
      " answer_begin = ? WHERE id = ? AND state = 'draft'",
      name_of(state), Blob{answer.content}, Blob{answer.reasoning},
      Blob{encode_token_ids(answer.tokens)}, answer.answer_begin, message);
  if (n_changed == 0 && is_finished_so(*db_, message, state, answer)) return;
  require_draft(*db_, message, n_changed);
  set_stats(*db_, message, stats);
  index_message(*db_, message);
  make_title_of_answer(*db_, message, answer.content);
  db_->run(
      "UPDATE conversation SET updated = ?"
      " WHERE id = (SELECT conversation FROM message WHERE id = ?)",
      stored(now()), message);
  transaction.commit();
}

void Store::set_reading(MessageId message, Reading reading, const std::optional<Memory>& memory) {
  Transaction transaction(*db_);
  write_reading(*db_, message, reading, memory);
  transaction.commit();
}

void Store::set_head(ConversationId conversation, MessageId head) {
  Transaction transaction(*db_);
  require_message(*db_, conversation, head);
  move_head(*db_, conversation, head);
  transaction.commit();
}

void Store::rename(ConversationId conversation, std::string_view title) {
  Transaction transaction(*db_);
  require_head(*db_, conversation);
  db_->run("UPDATE conversation SET title = ?, title_given = 1 WHERE id = ?", title, conversation);
  transaction.commit();
}

void Store::set_pinned(ConversationId conversation, bool pinned) {
  Transaction transaction(*db_);
  require_head(*db_, conversation);
  db_->run("UPDATE conversation SET pinned = ? WHERE id = ?", pinned ? 1 : 0, conversation);
  transaction.commit();
}

void Store::remove(ConversationId conversation) {
  const JournalDeletion no_old_pages(*db_);
  Transaction transaction(*db_);
  unindex_conversation(*db_, conversation);
  if (db_->run("DELETE FROM conversation WHERE id = ?", conversation) != 0) {
    delete_unused_contents(*db_);
    forget_deleted(*db_);
  }
  transaction.commit();
}

std::vector<ConversationId> Store::insert(std::span<const ConversationTree> trees) {
  Transaction transaction(*db_);
  std::vector<ConversationId> ids;
  for (const ConversationTree& tree : trees) ids.push_back(insert_tree(*db_, tree));
  transaction.commit();
  return ids;
}

std::optional<Conversation> Store::conversation(ConversationId id) {
  return read_conversation(*db_, id);
}

std::optional<Conversation> Store::latest_conversation() {
  return read_latest_conversation(*db_);
}

std::vector<Conversation> Store::list(int limit) {
  return list_conversations(*db_, limit);
}

std::vector<Message> Store::messages(ConversationId conversation) {
  return messages_to(require_head(*db_, conversation));
}

std::vector<Message> Store::messages_to(MessageId last) {
  return read_path(*db_, last);
}

ConversationTree Store::tree(ConversationId id) {
  std::optional<Conversation> found = conversation(id);
  if (!found) require_head(*db_, id);
  return {.conversation = *std::move(found), .messages = read_tree(*db_, id)};
}

}  // namespace confab::sessions
