// SPDX-License-Identifier: MIT
#include "sessions/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <utility>

#include "sessions/error.h"
#include "sessions/schema.h"
#include "sessions/sql.h"
#include "sessions/title.h"
#include "sessions/token_ids.h"

namespace confab::sessions {
namespace {

constexpr std::array<std::pair<Role, std::string_view>, 4> kRoles{{
    {Role::system, "system"},
    {Role::user, "user"},
    {Role::assistant, "assistant"},
    {Role::tool, "tool"},
}};
constexpr std::array<std::pair<MessageState, std::string_view>, 4> kStates{{
    {MessageState::draft, "draft"},
    {MessageState::done, "done"},
    {MessageState::stopped, "stopped"},
    {MessageState::error, "error"},
}};

template <class Table, class Enum>
std::string_view name_in(const Table& table, Enum value) {
  const auto* it = std::ranges::find(table, value, &Table::value_type::first);
  assert(it != table.end());
  return it->second;
}

template <class Table>
auto value_in(const Table& table, const std::string& name, const Database& db) {
  const auto* it = std::ranges::find(table, name, &Table::value_type::second);
  if (it != table.end()) return it->first;
  throw StoreError(fmt::format("{}: a message's role or state is \"{}\", which is none", db.name(),
                               name.substr(0, 32)));
}

Time now() {
  return std::chrono::time_point_cast<Time::duration>(std::chrono::system_clock::now());
}

std::int64_t stored(Time time) {
  return time.time_since_epoch().count();
}

template <class... Args>
Statement select_conversations(Database& db, const char* rest, const Args&... args) {
  const std::string sql = std::string(
                              "SELECT id, title, head, created, updated,"
                              " (SELECT count(*) FROM message WHERE conversation = conversation.id)"
                              " FROM conversation ") +
                          rest;
  return db.query(sql.c_str(), args...);
}

Conversation conversation_from(const Statement& row) {
  return {.id = ConversationId{row.integer(0)},
          .title = row.bytes(1),
          .head = MessageId{row.integer(2)},
          .created = Time{Time::duration{row.integer(3)}},
          .updated = Time{Time::duration{row.integer(4)}},
          .n_messages = static_cast<int>(row.integer(5))};
}

std::vector<Conversation> conversations_from(Statement rows) {
  std::vector<Conversation> conversations;
  while (rows.step()) conversations.push_back(conversation_from(rows));
  return conversations;
}

std::optional<MessageStats> stats_from(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  using Seconds = std::chrono::duration<double>;
  return MessageStats{.n_prompt = static_cast<int>(row.integer(column)),
                      .n_cached = static_cast<int>(row.integer(column + 1)),
                      .n_generated = static_cast<int>(row.integer(column + 2)),
                      .ttft = Seconds{row.real(column + 3)},
                      .prefill = Seconds{row.real(column + 4)},
                      .decode = Seconds{row.real(column + 5)}};
}

Message message_from(const Statement& row, const Database& db) {
  Message message;
  message.id = MessageId{row.integer(0)};
  message.conversation = ConversationId{row.integer(1)};
  if (!row.is_null(2)) message.parent = MessageId{row.integer(2)};
  message.role = value_in(kRoles, row.bytes(3), db);
  message.content = row.bytes(4);
  message.state = value_in(kStates, row.bytes(5), db);
  message.created = Time{Time::duration{row.integer(6)}};
  // Ids only save work: a blob that is none is as good as no ids.
  message.tokens = decode_token_ids(row.bytes(7)).value_or(std::vector<std::int32_t>{});
  message.tokenizer_hash = row.bytes(8);
  message.model = row.bytes(9);
  message.sampler_json = row.bytes(10);
  message.stats = stats_from(row, 11);
  message.reasoning = row.bytes(17);
  return message;
}

// One query for all of a path: most messages have none.
void read_attachments(Database& db, std::vector<Message>& messages) {
  if (messages.empty()) return;
  Statement rows = db.query(
      "SELECT message, name, size, content_hash FROM attachment"
      " WHERE message IN (SELECT id FROM message WHERE conversation = ?) ORDER BY rowid",
      messages.front().conversation);
  while (rows.step()) {
    const auto it =
        std::ranges::lower_bound(messages, MessageId{rows.integer(0)}, {}, &Message::id);
    if (it == messages.end() || it->id != MessageId{rows.integer(0)}) continue;
    it->attachments.push_back(
        {rows.bytes(1), static_cast<std::uint64_t>(rows.integer(2)), rows.bytes(3)});
  }
}

MessageId insert_message(Database& db, ConversationId conversation, std::optional<MessageId> parent,
                         const NewMessage& message) {
  db.run(
      "INSERT INTO message(conversation, parent, role, content, state, created, tokens,"
      " tokenizer_hash, model, sampler, reasoning) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      conversation, parent, name_in(kRoles, message.role), Blob{message.content},
      name_in(kStates, message.state), stored(now()), Blob{encode_token_ids(message.tokens)},
      message.tokenizer_hash, message.model, message.sampler_json, Blob{message.reasoning});
  const MessageId id{db.last_insert_id()};
  for (const Attachment& a : message.attachments) {
    db.run("INSERT INTO attachment VALUES(?, ?, ?, ?)", id, a.name,
           static_cast<std::int64_t>(a.size_bytes), a.content_hash);
  }
  if (message.role == Role::user) {
    db.run("UPDATE conversation SET title = ? WHERE id = ? AND title = ''",
           title_from(message.content), conversation);
  }
  return id;
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
  throw StoreError(fmt::format("{}: there is no conversation {}; it may have been deleted",
                               db.name(), static_cast<std::int64_t>(conversation)));
}

void require_draft(const Database& db, MessageId message, int n_changed) {
  if (n_changed == 1) return;
  throw StoreError(fmt::format("{}: message {} is no draft; its conversation may have been deleted",
                               db.name(), static_cast<std::int64_t>(message)));
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
Store& Store::operator=(Store&&) noexcept = default;

bool Store::read_only() const noexcept {
  return db_->read_only();
}

Appended Store::create_conversation(std::span<const NewMessage> messages, std::string_view title) {
  assert(!messages.empty());
  Transaction transaction(*db_);
  const std::int64_t time = stored(now());
  db_->run("INSERT INTO conversation(title, head, created, updated) VALUES(?, 0, ?, ?)", title,
           time, time);
  const ConversationId id{db_->last_insert_id()};
  std::optional<MessageId> last;
  for (const NewMessage& message : messages) last = insert_message(*db_, id, last, message);
  move_head(*db_, id, last.value());
  transaction.commit();
  return {.conversation = id, .message = *last, .branched = false};
}

Appended Store::append_message(ConversationId conversation, std::optional<MessageId> parent,
                               const NewMessage& message) {
  Transaction transaction(*db_);
  const MessageId head = require_head(*db_, conversation);
  if (parent) require_message(*db_, conversation, *parent);
  const MessageId id = insert_message(*db_, conversation, parent, message);
  move_head(*db_, conversation, id);
  transaction.commit();
  return {.conversation = conversation, .message = id, .branched = parent != head};
}

void Store::update_draft(MessageId message, const AnswerContent& answer) {
  Transaction transaction(*db_);
  require_draft(*db_, message,
                db_->run("UPDATE message SET content = ?, reasoning = ?, tokens = ?"
                         " WHERE id = ? AND state = 'draft'",
                         Blob{answer.content}, Blob{answer.reasoning},
                         Blob{encode_token_ids(answer.tokens)}, message));
  transaction.commit();
}

void Store::finish_message(MessageId message, MessageState state, const AnswerContent& answer,
                           const MessageStats& stats) {
  Transaction transaction(*db_);
  require_draft(
      *db_, message,
      db_->run("UPDATE message SET state = ?, content = ?, reasoning = ?, tokens = ?,"
               " n_prompt = ?, n_cached = ?, n_generated = ?, ttft = ?, prefill = ?, decode = ?"
               " WHERE id = ? AND state = 'draft'",
               name_in(kStates, state), Blob{answer.content}, Blob{answer.reasoning},
               Blob{encode_token_ids(answer.tokens)}, stats.n_prompt, stats.n_cached,
               stats.n_generated, stats.ttft.count(), stats.prefill.count(), stats.decode.count(),
               message));
  db_->run(
      "UPDATE conversation SET updated = ?"
      " WHERE id = (SELECT conversation FROM message WHERE id = ?)",
      stored(now()), message);
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
  db_->run("UPDATE conversation SET title = ? WHERE id = ?", title, conversation);
  transaction.commit();
}

// secure_delete overwrites the rows in the database file, but a persistent rollback journal would
// keep the pages as they were before: this transaction's is deleted by its commit.
void Store::remove(ConversationId conversation) {
  db_->run_script("PRAGMA journal_mode = DELETE");
  Transaction transaction(*db_);
  db_->run("DELETE FROM conversation WHERE id = ?", conversation);
  transaction.commit();
  db_->run_script("PRAGMA journal_mode = PERSIST");
}

std::optional<Conversation> Store::conversation(ConversationId id) {
  Statement row = select_conversations(*db_, "WHERE id = ?", id);
  if (!row.step()) return std::nullopt;
  return conversation_from(row);
}

std::optional<Conversation> Store::latest_conversation() {
  std::vector<Conversation> found = list(1);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<Conversation> Store::find_conversations(std::string_view name_or_id) {
  if (name_or_id.empty()) return {};
  auto found = conversations_from(
      select_conversations(*db_, "WHERE title = ? ORDER BY updated DESC, id DESC", name_or_id));
  if (!found.empty()) return found;
  std::int64_t id = 0;
  const char* end = name_or_id.data() + name_or_id.size();
  if (const auto [stop, error] = std::from_chars(name_or_id.data(), end, id);
      error == std::errc{} && stop == end) {
    if (auto it = conversation(ConversationId{id})) return {*std::move(it)};
  }
  return conversations_from(
      select_conversations(*db_,
                           "WHERE substr(title, 1, length(?1)) = ?1 COLLATE NOCASE"
                           " ORDER BY updated DESC, id DESC",
                           name_or_id));
}

std::vector<Conversation> Store::list(int limit) {
  return conversations_from(
      select_conversations(*db_, "ORDER BY updated DESC, id DESC LIMIT ?", limit));
}

std::vector<Message> Store::messages(ConversationId conversation) {
  return messages_to(require_head(*db_, conversation));
}

// Parents are older than their children, so that the ids are in the order of the path.
std::vector<Message> Store::messages_to(MessageId last) {
  Statement rows = db_->query(
      "WITH RECURSIVE path(id) AS (SELECT ? UNION ALL"
      " SELECT m.parent FROM message m JOIN path ON m.id = path.id WHERE m.parent < m.id)"
      " SELECT id, conversation, parent, role, content, state, created, tokens, tokenizer_hash,"
      " model, sampler, n_prompt, n_cached, n_generated, ttft, prefill, decode, reasoning"
      " FROM message JOIN path USING(id) ORDER BY id",
      last);
  std::vector<Message> messages;
  while (rows.step()) messages.push_back(message_from(rows, *db_));
  read_attachments(*db_, messages);
  return messages;
}

}  // namespace confab::sessions
