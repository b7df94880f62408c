// SPDX-License-Identifier: MIT
#include "sessions/conversations/message_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sessions/conversations/search.h"
#include "sessions/conversations/sql.h"
#include "sessions/error.h"

namespace confab::sessions {
namespace {

// Columns in the order that stats_from() expects.
constexpr std::string_view kStatsColumns =
    "n_prompt, n_cached, n_generated, ttft, prefill, decode, n_passes, n_drafted, n_accepted,"
    " lookup_drafted, lookup_accepted, model_drafted, model_accepted, heads_drafted,"
    " heads_accepted";

// `from` is the SQL after "FROM message m".
Statement select_messages(Database& db, const std::string& with, const char* from,
                          std::int64_t argument) {
  const std::string sql = fmt::format(
      "{} SELECT m.id, m.conversation, m.parent, m.role, m.content, m.state, m.created, m.tokens,"
      " m.tokenizer_hash, m.model, m.sampler, m.reasoning, m.answer_begin, m.reading,"
      " m.memory_kept, m.memory_begin, m.memory_noted, m.memory_note, {} FROM message m {}"
      " ORDER BY m.id",
      with, kStatsColumns, from);
  return db.query(sql.c_str(), argument);
}

template <class T>
T checked(std::optional<T> value, const std::string& name, const Database& db) {
  if (value) return *value;
  throw StoreError(fmt::format("{}: unknown role, state or reading \"{}\" of a message", db.name(),
                               name.substr(0, 32)));
}

DraftCount draft_count_from(const Statement& row, int column) {
  return {.n_drafted = static_cast<int>(row.integer(column)),
          .n_accepted = static_cast<int>(row.integer(column + 1))};
}

// Reads kStatsColumns, which start at this column.
std::optional<MessageStats> stats_from(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  using Seconds = std::chrono::duration<double>;
  return MessageStats{.n_prompt = static_cast<int>(row.integer(column)),
                      .n_cached = static_cast<int>(row.integer(column + 1)),
                      .n_generated = static_cast<int>(row.integer(column + 2)),
                      .n_passes = static_cast<int>(row.integer(column + 6)),
                      .n_drafted = static_cast<int>(row.integer(column + 7)),
                      .n_accepted = static_cast<int>(row.integer(column + 8)),
                      .by_lookup = draft_count_from(row, column + 9),
                      .by_model = draft_count_from(row, column + 11),
                      .by_heads = draft_count_from(row, column + 13),
                      .ttft = Seconds{row.real(column + 3)},
                      .prefill = Seconds{row.real(column + 4)},
                      .decode = Seconds{row.real(column + 5)}};
}

// Reads the columns kept, begin, noted and note, which start at this column.
std::optional<Memory> memory_from(const Statement& row, int column) {
  if (row.is_null(column + 1)) return std::nullopt;
  return Memory{.n_kept = static_cast<int>(row.integer(column)),
                .begin = static_cast<int>(row.integer(column + 1)),
                .n_noted = static_cast<int>(row.integer(column + 2)),
                .note = row.bytes(column + 3)};
}

Message message_from(const Statement& row, const Database& db) {
  Message message;
  message.id = MessageId{row.integer(0)};
  message.conversation = ConversationId{row.integer(1)};
  if (!row.is_null(2)) message.parent = MessageId{row.integer(2)};
  const std::string role = row.bytes(3);
  message.role = checked(role_of(role), role, db);
  message.content = row.bytes(4);
  const std::string state = row.bytes(5);
  message.state = checked(state_of(state), state, db);
  message.created = Time{Time::duration{row.integer(6)}};
  // Ids only save work, so an invalid blob counts as no ids.
  message.tokens = decode_token_ids(row.bytes(7)).value_or(std::vector<std::int32_t>{});
  message.tokenizer_hash = row.bytes(8);
  message.model = row.bytes(9);
  message.sampler_json = row.bytes(10);
  message.reasoning = row.bytes(11);
  message.answer_begin = static_cast<int>(row.integer(12));
  const std::string reading = row.bytes(13);
  message.reading = checked(reading_of(reading), reading, db);
  message.memory = memory_from(row, 14);
  message.stats = stats_from(row, 18);
  return message;
}

// One query for all messages, since most have no attachments.
void read_attachments(Database& db, std::vector<Message>& messages) {
  if (messages.empty()) return;
  Statement rows = db.query(
      "SELECT a.message, a.name, a.size, a.content_hash, c.id, c.bytes"
      " FROM message m JOIN attachment a ON a.message = m.id"
      " LEFT JOIN attachment_content c ON c.id = a.content"
      " WHERE m.conversation = ? ORDER BY a.rowid",
      messages.front().conversation);
  while (rows.step()) {
    const auto it =
        std::ranges::lower_bound(messages, MessageId{rows.integer(0)}, {}, &Message::id);
    if (it == messages.end() || it->id != MessageId{rows.integer(0)}) continue;
    Attachment attachment{rows.bytes(1), static_cast<std::uint64_t>(rows.integer(2)),
                          rows.bytes(3)};
    if (!rows.is_null(4)) attachment.content = rows.bytes(5);
    it->attachments.push_back(std::move(attachment));
  }
}

std::vector<Message> messages_from(Statement rows, Database& db) {
  std::vector<Message> messages;
  while (rows.step()) messages.push_back(message_from(rows, db));
  read_attachments(db, messages);
  return messages;
}

// Equal contents are stored once. The bytes are compared, since equal hashes do not prove equal
// contents.
std::int64_t content_id(Database& db, const Attachment& attachment) {
  const Blob bytes{*attachment.content};
  Statement known = db.query("SELECT id FROM attachment_content WHERE hash = ? AND bytes = ?",
                             attachment.content_hash, bytes);
  if (known.step()) return known.integer(0);
  db.run("INSERT INTO attachment_content(hash, bytes) VALUES(?, ?)", attachment.content_hash,
         bytes);
  return db.last_insert_id();
}

void insert_attachment(Database& db, MessageId message, const Attachment& attachment) {
  std::optional<std::int64_t> content;
  if (attachment.content) content = content_id(db, attachment);
  db.run("INSERT INTO attachment(message, name, size, content_hash, content) VALUES(?, ?, ?, ?, ?)",
         message, attachment.name, static_cast<std::int64_t>(attachment.size_bytes),
         attachment.content_hash, content);
}

}  // namespace

std::string encode_token_ids(std::span<const std::int32_t> ids) {
  std::string blob;
  blob.reserve(ids.size() * 2);
  for (const std::int32_t id : ids) {
    auto rest = static_cast<std::uint32_t>(id);
    for (; rest >= 0x80; rest >>= 7) blob += static_cast<char>((rest & 0x7f) | 0x80);
    blob += static_cast<char>(rest);
  }
  return blob;
}

std::optional<std::vector<std::int32_t>> decode_token_ids(std::string_view blob) {
  std::vector<std::int32_t> ids;
  std::uint64_t value = 0;
  int shift = 0;
  for (const char c : blob) {
    const auto byte = static_cast<unsigned char>(c);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    if ((byte & 0x80) != 0) {
      shift += 7;
      if (shift > 28) return std::nullopt;
      continue;
    }
    if (byte == 0 && shift > 0) return std::nullopt;  // an overlong encoding
    ids.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
    value = 0;
    shift = 0;
  }
  if (shift != 0) return std::nullopt;
  return ids;
}

void write_reading(Database& db, MessageId message, Reading reading,
                   const std::optional<Memory>& memory) {
  std::optional<int> kept, begin, noted;
  std::optional<Blob> note;
  if (memory) {
    kept = memory->n_kept;
    begin = memory->begin;
    noted = memory->n_noted;
    note = Blob{memory->note};
  }
  db.run(
      "UPDATE message SET reading = ?, memory_kept = ?, memory_begin = ?, memory_noted = ?,"
      " memory_note = ? WHERE id = ?",
      name_of(reading), kept, begin, noted, note, message);
}

void set_stats(Database& db, MessageId message, const MessageStats& stats) {
  db.run(
      "UPDATE message SET n_prompt = ?, n_cached = ?, n_generated = ?, ttft = ?, prefill = ?,"
      " decode = ?, n_passes = ?, n_drafted = ?, n_accepted = ?, lookup_drafted = ?,"
      " lookup_accepted = ?, model_drafted = ?, model_accepted = ?, heads_drafted = ?,"
      " heads_accepted = ? WHERE id = ?",
      stats.n_prompt, stats.n_cached, stats.n_generated, stats.ttft.count(), stats.prefill.count(),
      stats.decode.count(), stats.n_passes, stats.n_drafted, stats.n_accepted,
      stats.by_lookup.n_drafted, stats.by_lookup.n_accepted, stats.by_model.n_drafted,
      stats.by_model.n_accepted, stats.by_heads.n_drafted, stats.by_heads.n_accepted, message);
}

MessageId insert_message(Database& db, ConversationId conversation, std::optional<MessageId> parent,
                         const Message& message) {
  db.run("UPDATE upkeep SET last_message = last_message + 1");
  db.run(
      "INSERT INTO message(id, conversation, parent, role, content, state, created, tokens,"
      " tokenizer_hash, model, sampler, reasoning, answer_begin)"
      " VALUES((SELECT last_message FROM upkeep), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      conversation, parent, name_of(message.role), Blob{message.content}, name_of(message.state),
      message.created.time_since_epoch().count(), Blob{encode_token_ids(message.tokens)},
      message.tokenizer_hash, message.model, message.sampler_json, Blob{message.reasoning},
      message.answer_begin);
  const MessageId id{db.last_insert_id()};
  for (const Attachment& attachment : message.attachments) insert_attachment(db, id, attachment);
  if (message.stats) set_stats(db, id, *message.stats);
  if (message.reading != Reading::usual || message.memory)
    write_reading(db, id, message.reading, message.memory);
  index_message(db, id);
  return id;
}

// Parents are older than their children, so ordering by id follows the path.
std::vector<Message> read_path(Database& db, MessageId last) {
  const char* path =
      "WITH RECURSIVE path(id) AS (SELECT ? UNION ALL"
      " SELECT m.parent FROM message m JOIN path ON m.id = path.id WHERE m.parent < m.id)";
  return messages_from(
      select_messages(db, path, "JOIN path USING(id)", static_cast<std::int64_t>(last)), db);
}

std::vector<Message> read_tree(Database& db, ConversationId conversation) {
  return messages_from(
      select_messages(db, "", "WHERE m.conversation = ?", static_cast<std::int64_t>(conversation)),
      db);
}

std::vector<MessageStats> read_latest_stats(Database& db, std::string_view model, int limit) {
  const std::string sql = fmt::format(
      "SELECT {} FROM message WHERE id > (SELECT max(id) FROM message) - 2000 AND model = ?"
      " ORDER BY id DESC LIMIT ?",
      kStatsColumns);
  Statement row = db.query(sql.c_str(), model, limit);
  std::vector<MessageStats> stats;
  while (row.step())
    if (const auto found = stats_from(row, 0)) stats.push_back(*found);
  return stats;
}

std::vector<std::int64_t> contents_of(Database& db, ConversationId conversation) {
  Statement rows = db.query(
      "SELECT DISTINCT a.content FROM message m JOIN attachment a ON a.message = m.id"
      " WHERE m.conversation = ? AND a.content IS NOT NULL",
      conversation);
  std::vector<std::int64_t> contents;
  while (rows.step()) contents.push_back(rows.integer(0));
  return contents;
}

void delete_unused(Database& db, std::span<const std::int64_t> contents) {
  for (const std::int64_t content : contents)
    db.run(
        "DELETE FROM attachment_content WHERE id = ?1 AND NOT EXISTS"
        " (SELECT 1 FROM attachment WHERE content = ?1)",
        content);
}

}  // namespace confab::sessions
