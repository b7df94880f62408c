// SPDX-License-Identifier: MIT
#include "sessions/conversations/search.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "sessions/conversations/sql.h"

namespace confab::sessions {
namespace {

constexpr int kMaxTerms = 32;
// Prefixes of this length, and of one byte more, are indexed (sessions/conversations/schema.cpp). A
// single letter matches too much to be useful.
constexpr std::size_t kMinPrefixBytes = 2;
// snippet() puts these around a word. The same bytes in a message would only mark some more text.
constexpr char kBeginMark = '\x02';
constexpr char kEndMark = '\x03';

struct Found {
  MessageId message;
  Snippet snippet;
};

bool is_blank(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7F;
}

// Runs of blanks and control characters become one space.
Snippet parse_snippet(std::string_view marked) {
  Snippet snippet;
  std::optional<std::size_t> begin;
  for (const char c : marked) {
    if (c == kBeginMark) {
      begin = snippet.text.size();
    } else if (c == kEndMark) {
      if (begin && *begin < snippet.text.size())
        snippet.marked.push_back({*begin, snippet.text.size()});
      begin.reset();
    } else if (!is_blank(c)) {
      snippet.text += c;
    } else if (!snippet.text.empty() && snippet.text.back() != ' ') {
      snippet.text += ' ';
    }
  }
  return snippet;
}

// A snippet from the attachments, for a message whose own text does not contain the words.
Snippet attachment_snippet(Database& db, const std::string& query, MessageId message) {
  Statement row = db.query(
      "SELECT snippet(message_fts, 1, char(2), char(3), '…', 24) FROM message_fts"
      " WHERE message_fts MATCH ? AND rowid = ?",
      query, message);
  return row.step() ? parse_snippet(row.bytes(0)) : Snippet{};
}

// Reads attachments, which may be long, only if the text has no match.
std::vector<Found> find(Database& db, const std::string& query, int limit) {
  std::vector<Found> found;
  Statement rows = db.query(
      "SELECT rowid, snippet(message_fts, 0, char(2), char(3), '…', 24) FROM message_fts"
      " WHERE message_fts MATCH ? ORDER BY rowid DESC LIMIT ?",
      query, limit);
  while (rows.step()) found.push_back({MessageId{rows.integer(0)}, parse_snippet(rows.bytes(1))});
  for (Found& f : found) {
    if (f.snippet.marked.empty()) f.snippet = attachment_snippet(db, query, f.message);
  }
  return found;
}

// Searches a temporary index, in memory, of the drafts that exist right now.
std::vector<Found> find_drafts(Database& db, const std::string& query, int limit) {
  Statement drafts = db.query("SELECT id, content FROM message WHERE state = 'draft'");
  if (!drafts.step()) return {};
  const auto index = Database::in_memory();
  index->run(
      "CREATE VIRTUAL TABLE message_fts USING fts5(content, attachments, tokenize = 'confab')");
  do {
    index->run("INSERT INTO message_fts(rowid, content) VALUES(?, ?)", drafts.integer(0),
               drafts.bytes(1));
  } while (drafts.step());
  return find(*index, query, limit);
}

// Returns nullopt if the message was deleted after it was found.
std::optional<SearchHit> hit_from(Database& db, Found found) {
  Statement row = db.query(
      "SELECT c.id, c.title, m.role, m.created FROM message m"
      " JOIN conversation c ON c.id = m.conversation WHERE m.id = ?",
      found.message);
  if (!row.step()) return std::nullopt;
  return SearchHit{.conversation = ConversationId{row.integer(0)},
                   .title = row.bytes(1),
                   .message = found.message,
                   .role = role_of(row.bytes(2)).value_or(Role::user),
                   .created = Time{Time::duration{row.integer(3)}},
                   .snippet = std::move(found.snippet)};
}

}  // namespace

std::string search_query(std::string_view words) {
  std::string query;
  bool quoted = false;
  std::size_t i = 0;
  for (int n_terms = 0; i < words.size() && n_terms < kMaxTerms;) {
    if (words[i] == '"' || (!quoted && is_blank(words[i]))) {
      quoted = words[i++] == '"' ? !quoted : quoted;
      continue;
    }
    std::string term;
    for (; i < words.size() && words[i] != '"' && (quoted || !is_blank(words[i])); ++i) {
      term += is_blank(words[i]) ? ' ' : words[i];
    }
    query += query.empty() ? "\"" : " \"";
    query += term + '"';
    ++n_terms;
    if (i == words.size() && !quoted && term.size() >= kMinPrefixBytes) query += '*';
  }
  return query;
}

std::vector<SearchHit> search(Database& db, std::string_view words, int limit) {
  const std::string query = search_query(words);
  if (query.empty()) return {};
  std::vector<Found> found = find(db, query, limit);
  for (Found& draft : find_drafts(db, query, limit)) found.push_back(std::move(draft));
  std::ranges::sort(found, std::greater{}, &Found::message);
  std::vector<SearchHit> hits;
  for (Found& f : found) {
    if (static_cast<int>(hits.size()) == limit) break;
    if (auto hit = hit_from(db, std::move(f))) hits.push_back(*std::move(hit));
  }
  return hits;
}

void index_message(Database& db, MessageId message) {
  db.run(
      "INSERT INTO message_fts(rowid, content, attachments)"
      " SELECT id, content, attachments FROM message_text WHERE id = ?",
      message);
}

void unindex_conversation(Database& db, ConversationId conversation) {
  db.run(
      "INSERT INTO message_fts(message_fts, rowid, content, attachments)"
      " SELECT 'delete', id, content, attachments FROM message_text WHERE conversation = ?",
      conversation);
}

// upkeep.forgetting: 0, nothing to forget; 1, a merge of all parts must begin; 2, the merge is
// running; 3, the merge is running and something was deleted since it began, so another one must
// follow.
void begin_forgetting(Database& db) {
  db.run("UPDATE upkeep SET forgetting = CASE WHEN forgetting < 2 THEN 1 ELSE 3 END");
}

// https://sqlite.org/fts5.html, "The 'merge' command": a negative number of pages starts a merge of
// all parts, later calls continue it, and a call that changes less than two rows found nothing to
// do.
bool forget_deleted(Database& db) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kStep{10};
  constexpr int kPages = 16;
  const Clock::time_point begun = Clock::now();
  do {
    const std::int64_t state = db.integer("SELECT forgetting FROM upkeep");
    if (state == 0) return false;
    const int before = db.total_changes();
    db.run("INSERT INTO message_fts(message_fts, rank) VALUES('merge', ?)",
           state == 1 ? -kPages : kPages);
    const bool is_merged = db.total_changes() - before < 2;
    if (state == 1) db.run("UPDATE upkeep SET forgetting = 2");
    if (is_merged)
      db.run("UPDATE upkeep SET forgetting = CASE forgetting WHEN 3 THEN 1 ELSE 0 END");
  } while (Clock::now() - begun < kStep);
  return is_forgetting(db);
}

bool is_forgetting(Database& db) {
  return db.integer("SELECT forgetting FROM upkeep") != 0;
}

}  // namespace confab::sessions
