// SPDX-License-Identifier: MIT
#include "sessions/conversations/store.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "sessions/conversations/conversation_rows.h"
#include "sessions/conversations/import.h"
#include "sessions/conversations/message_rows.h"
#include "sessions/conversations/schema.h"
#include "sessions/conversations/search.h"
#include "sessions/conversations/sql.h"
#include "sessions/conversations/title.h"
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

void move_head(Database& db, ConversationId conversation, MessageId head) {
  db.run("UPDATE conversation SET head = ?, updated = ? WHERE id = ?", head, stored(now()),
         conversation);
  mark_used(db, conversation);
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

// True if the message already has this final content: a commit whose last sync fails reports an
// error although it has worked.
bool is_finished_so(Database& db, MessageId message, MessageState state,
                    const AnswerContent& answer) {
  return db
      .query("SELECT 1 FROM message WHERE id = ? AND state = ? AND content = ? AND reasoning = ?",
             message, name_of(state), Blob{answer.content}, Blob{answer.reasoning})
      .step();
}

}  // namespace

Store::Store(const std::filesystem::path& path, StoreOptions options)
    : path_(path), options_(std::move(options)) {
  try {
    open();
  } catch (const StoreError& fault) {
    if (fault.code() != StoreError::Code::locked || !options_.may_open_later) throw;
  }
}
Store Store::in_memory() {
  Store store;
  store.db_ = Database::in_memory();
  migrate(*store.db_);
  return store;
}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;

void Store::open() {
  const bool reads = !options_.read_only_reason.empty();
  std::error_code error;
  const bool nothing = reads && !std::filesystem::exists(path_, error) && !error;
  auto database =
      nothing ? Database::in_memory() : std::make_unique<Database>(path_, options_.patience);
  if (nothing)
    migrate(*database);
  else if (reads)
    require_current(*database);
  if (reads && database->read_only_reason().empty())
    database->make_read_only(options_.read_only_reason);
  if (!reads) migrate(*database);
  db_ = std::move(database);
}

Database& Store::db() {
  if (db_ == nullptr) open();
  return *db_;
}

void Store::set_patience(std::chrono::milliseconds patience) {
  options_.patience = patience;
  if (db_ != nullptr) db_->set_patience(patience);
}

const std::string& Store::read_only_reason() const noexcept {
  return db_ == nullptr ? options_.read_only_reason : db_->read_only_reason();
}

Appended Store::create_conversation(std::span<const NewMessage> messages, std::string_view title) {
  assert(!messages.empty());
  Transaction transaction(db());
  const std::int64_t time = stored(now());
  db().run(
      "INSERT INTO conversation(title, title_given, head, created, updated) VALUES(?, ?, 0, ?, ?)",
      title, title.empty() ? 0 : 1, time, time);
  const ConversationId id{db().last_insert_id()};
  std::optional<MessageId> last;
  for (const NewMessage& message : messages) {
    last = insert_message(db(), id, last, message_from(message));
    make_title(db(), id, *last, message);
  }
  move_head(db(), id, last.value());
  transaction.commit();
  return {.conversation = id, .message = *last, .branched = false};
}

Appended Store::append_message(ConversationId conversation, std::optional<MessageId> parent,
                               const NewMessage& message, std::optional<MessageId> seen_head) {
  Transaction transaction(db());
  const MessageId head = require_head(db(), conversation);
  if (parent) require_message(db(), conversation, *parent);
  const MessageId id = insert_message(db(), conversation, parent, message_from(message));
  make_title(db(), conversation, id, message);
  move_head(db(), conversation, id);
  transaction.commit();
  const bool branched = (seen_head ? seen_head : parent) != head;
  return {.conversation = conversation, .message = id, .branched = branched};
}

void Store::update_draft(MessageId message, const AnswerContent& answer) {
  Transaction transaction(db());
  require_draft(db(), message,
                db().run("UPDATE message SET content = ?, reasoning = ?, tokens = ?,"
                         " answer_begin = ? WHERE id = ? AND state = 'draft'",
                         Blob{answer.content}, Blob{answer.reasoning},
                         Blob{encode_token_ids(answer.tokens)}, answer.answer_begin, message));
  transaction.commit();
}

void Store::finish_message(MessageId message, MessageState state, const AnswerContent& answer,
                           const MessageStats& stats) {
  Transaction transaction(db());
  const int n_changed = db().run(
      "UPDATE message SET state = ?, content = ?, reasoning = ?, tokens = ?,"
      " answer_begin = ? WHERE id = ? AND state = 'draft'",
      name_of(state), Blob{answer.content}, Blob{answer.reasoning},
      Blob{encode_token_ids(answer.tokens)}, answer.answer_begin, message);
  if (n_changed == 0 && is_finished_so(db(), message, state, answer)) return;
  require_draft(db(), message, n_changed);
  set_stats(db(), message, stats);
  index_message(db(), message);
  make_title_of_answer(db(), message, answer.content);
  db().run(
      "UPDATE conversation SET updated = ?"
      " WHERE id = (SELECT conversation FROM message WHERE id = ?)",
      stored(now()), message);
  mark_used_by(db(), message);
  transaction.commit();
}

void Store::set_reading(MessageId message, Reading reading, const std::optional<Memory>& memory) {
  Transaction transaction(db());
  write_reading(db(), message, reading, memory);
  transaction.commit();
}

void Store::set_head(ConversationId conversation, MessageId head) {
  Transaction transaction(db());
  require_message(db(), conversation, head);
  move_head(db(), conversation, head);
  transaction.commit();
}

void Store::rename(ConversationId conversation, std::string_view title) {
  if (is_blank_title(title)) throw StoreError("the new title is empty; give one that can be seen");
  Transaction transaction(db());
  require_head(db(), conversation);
  db().run("UPDATE conversation SET title = ?, title_given = 1 WHERE id = ?", title, conversation);
  transaction.commit();
}

void Store::set_pinned(ConversationId conversation, bool pinned) {
  Transaction transaction(db());
  require_head(db(), conversation);
  db().run("UPDATE conversation SET pinned = ? WHERE id = ?", pinned ? 1 : 0, conversation);
  transaction.commit();
}

void Store::remove(ConversationId conversation) {
  const JournalDeletion no_old_pages(db());
  Transaction transaction(db());
  const std::vector<std::int64_t> contents = contents_of(db(), conversation);
  unindex_conversation(db(), conversation);
  if (db().run("DELETE FROM conversation WHERE id = ?", conversation) != 0) {
    delete_unused(db(), contents);
    begin_forgetting(db());
    has_to_forget_ = forget_deleted(db());  // everything, if the index is small
  }
  transaction.commit();
}

bool Store::forget_more() {
  has_to_forget_ = read_only_reason().empty() && is_forgetting(db());
  if (!has_to_forget_) return false;
  const JournalDeletion no_old_pages(db());
  Transaction transaction(db());
  has_to_forget_ = forget_deleted(db());
  transaction.commit();
  return has_to_forget_;
}

std::vector<ConversationId> Store::insert(std::span<const ConversationTree> trees) {
  Transaction transaction(db());
  std::vector<ConversationId> ids;
  for (const ConversationTree& tree : trees) {
    ids.push_back(insert_tree(db(), tree));
    mark_used(db(), ids.back());
  }
  transaction.commit();
  return ids;
}

Imported Store::import(std::span<const ConversationTree> trees) {
  return import_trees(db(), trees);
}

std::optional<Conversation> Store::conversation(ConversationId id) {
  return read_conversation(db(), id);
}

std::optional<Conversation> Store::latest_conversation() {
  return read_latest_conversation(db());
}

std::vector<Conversation> Store::list(int limit) {
  return list_conversations(db(), limit);
}

std::vector<Message> Store::messages(ConversationId conversation) {
  return messages_to(require_head(db(), conversation));
}

std::vector<Message> Store::messages_to(MessageId last) {
  return read_path(db(), last);
}

ConversationTree Store::tree(ConversationId id) {
  std::optional<Conversation> found = conversation(id);
  if (!found) require_head(db(), id);
  return {.conversation = *std::move(found), .messages = read_tree(db(), id)};
}

}  // namespace confab::sessions
