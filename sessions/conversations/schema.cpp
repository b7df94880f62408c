// SPDX-License-Identifier: MIT
#include "sessions/conversations/schema.h"

#include <fmt/format.h>

#include <array>

#include "sessions/conversations/sql.h"
#include "sessions/error.h"

namespace confab::sessions {
namespace {

// Times are milliseconds since 1970, durations are seconds. A parent is older than its children, so
// a walk to the root ends even in a maliciously damaged database. AUTOINCREMENT: the number of a
// deleted conversation, which a user may have written down, is never reused.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE conversation(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  head INTEGER NOT NULL REFERENCES message(id) DEFERRABLE INITIALLY DEFERRED,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL
) STRICT;
CREATE TABLE message(
  id INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
  parent INTEGER REFERENCES message(id) CHECK (parent < id),
  role TEXT NOT NULL,
  content BLOB NOT NULL,
  state TEXT NOT NULL,
  created INTEGER NOT NULL,
  tokens BLOB NOT NULL,
  tokenizer_hash TEXT NOT NULL,
  model TEXT NOT NULL,
  sampler TEXT NOT NULL,
  n_prompt INTEGER,
  n_cached INTEGER,
  n_generated INTEGER,
  ttft REAL,
  prefill REAL,
  decode REAL
) STRICT;
CREATE TABLE attachment(
  message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  size INTEGER NOT NULL,
  content_hash TEXT NOT NULL
) STRICT;
CREATE INDEX conversation_by_title ON conversation(title);
CREATE INDEX conversation_by_updated ON conversation(updated);
CREATE INDEX message_by_conversation ON message(conversation);
CREATE INDEX message_by_parent ON message(parent);
CREATE INDEX attachment_by_message ON attachment(message);
)sql";

// The reasoning of an answer is stored apart from the answer.
constexpr const char* kVersion2 =
    "ALTER TABLE message ADD COLUMN reasoning BLOB NOT NULL DEFAULT x'';";

// Earlier versions did not record whether a person gave the title. Existing titles count as given,
// so that they are not replaced. A message's tokens include its reasoning, up to answer_begin. Each
// content of an attachment is stored once, found by its hash and then compared; NULL in
// attachment.content means that it was not kept. The search index keeps no text itself. It reads
// message_text, whose rows never change: drafts are not in it, and each draft turns into a final
// message once. The rowid of an attachment gives its place among those of its message.
constexpr const char* kVersion3 = R"sql(
ALTER TABLE conversation ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN title_given INTEGER NOT NULL DEFAULT 0;
UPDATE conversation SET title_given = title <> '';
CREATE INDEX conversation_in_lists ON conversation(pinned, updated);
CREATE TABLE attachment_content(
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX attachment_content_by_hash ON attachment_content(hash);
ALTER TABLE attachment ADD COLUMN content INTEGER REFERENCES attachment_content(id);
CREATE INDEX attachment_by_content ON attachment(content);
ALTER TABLE message ADD COLUMN answer_begin INTEGER NOT NULL DEFAULT 0;
CREATE INDEX message_that_is_draft ON message(state) WHERE state = 'draft';
CREATE VIEW message_text(id, conversation, content, attachments) AS
  SELECT id, conversation, content, coalesce((
    SELECT group_concat(text, char(10)) FROM (
      SELECT name || char(10) || coalesce(bytes, '') AS text
      FROM attachment LEFT JOIN attachment_content c ON c.id = attachment.content
      WHERE attachment.message = message.id ORDER BY attachment.rowid)), '')
  FROM message WHERE state <> 'draft' AND role <> 'system';
CREATE VIRTUAL TABLE message_fts USING fts5(content, attachments, content = 'message_text',
  content_rowid = 'id', tokenize = 'confab', prefix = '2 3');
INSERT INTO message_fts(message_fts) VALUES('rebuild');
)sql";

// The number of passes that an answer took, and the outcome of guessing its tokens; NULL if not
// recorded.
constexpr const char* kVersion4 = R"sql(
ALTER TABLE message ADD COLUMN n_passes INTEGER;
ALTER TABLE message ADD COLUMN n_drafted INTEGER;
ALTER TABLE message ADD COLUMN n_accepted INTEGER;
)sql";

// The guesses by source: looked up, made by a draft model, or by the model's own heads. NULL if
// only their sum was recorded.
constexpr const char* kVersion5 = R"sql(
ALTER TABLE message ADD COLUMN lookup_drafted INTEGER;
ALTER TABLE message ADD COLUMN lookup_accepted INTEGER;
ALTER TABLE message ADD COLUMN model_drafted INTEGER;
ALTER TABLE message ADD COLUMN model_accepted INTEGER;
ALTER TABLE message ADD COLUMN heads_drafted INTEGER;
ALTER TABLE message ADD COLUMN heads_accepted INTEGER;
)sql";

// What a model reads of a conversation: see Reading and Memory. NULL in memory_begin means that the
// message has no memory.
constexpr const char* kVersion6 = R"sql(
ALTER TABLE message ADD COLUMN reading TEXT NOT NULL DEFAULT 'usual';
ALTER TABLE message ADD COLUMN memory_kept INTEGER;
ALTER TABLE message ADD COLUMN memory_begin INTEGER;
ALTER TABLE message ADD COLUMN memory_noted INTEGER;
ALTER TABLE message ADD COLUMN memory_note BLOB;
)sql";

// The clock may have been wrong, so use is counted: `used` grows with each change to a
// conversation, and is 0 if it was only imported. Dates in the future count as the oldest. upkeep
// has one row. last_message is the greatest id that a message ever had, so that the id of a deleted
// message is not reused. forgetting: see forget_deleted().
// The index is rebuilt because its words have changed
// (sessions/conversations/search_tokenizer.cpp).
constexpr const char* kVersion7 = R"sql(
ALTER TABLE conversation ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversation_by_use ON conversation(used, updated);
UPDATE conversation SET used = ranked.place FROM (
  SELECT id, row_number() OVER (
    ORDER BY updated <= 1000 * CAST(strftime('%s', 'now') AS INTEGER) + 1000, updated, id) AS place
  FROM conversation) AS ranked
WHERE ranked.id = conversation.id;
CREATE TABLE upkeep(
  last_message INTEGER NOT NULL,
  forgetting INTEGER NOT NULL
) STRICT;
INSERT INTO upkeep SELECT coalesce(max(id), 0), 0 FROM message;
INSERT INTO message_fts(message_fts) VALUES('rebuild');
)sql";

// Entry i upgrades version i to version i + 1.
constexpr std::array<const char*, kSchemaVersion> kMigrations{
    kVersion1, kVersion2, kVersion3, kVersion4, kVersion5, kVersion6, kVersion7};

int version_of(Database& database) {
  const auto version = static_cast<int>(database.integer("PRAGMA user_version"));
  if (version >= 0) return version;
  throw StoreError(fmt::format("{}: schema version {}, expected 0 to {}; left untouched",
                               database.name(), version, kSchemaVersion));
}

void refuse_foreign(Database& database) {
  // This order matters: if another process is creating the tables at this moment, it sets the id
  // together with them.
  const auto n_tables = database.integer("SELECT count(*) FROM sqlite_schema");
  const auto id = database.integer("PRAGMA application_id");
  if (id == kApplicationId || (id == 0 && n_tables == 0)) return;
  throw StoreError(fmt::format(
      "{}: a database of another program (application_id {:#x}, expected {:#x}); left untouched",
      database.name(), id, kApplicationId));
}

void upgrade(Database& database) {
  Transaction transaction(database);
  // Read under the lock, since another program may have upgraded it first.
  const int from = version_of(database);
  if (from < kSchemaVersion) {
    for (int version = from; version < kSchemaVersion; ++version) {
      database.run_script(kMigrations[static_cast<std::size_t>(version)]);
    }
    database.run_script(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                    kApplicationId, kSchemaVersion)
                            .c_str());
  }
  transaction.commit();
}

}  // namespace

void require_current(Database& database) {
  refuse_foreign(database);
  const int version = version_of(database);
  if (version < kSchemaVersion)
    throw StoreError(
        fmt::format("{}: made by an older confab; run confab list once to bring it up to date",
                    database.name()));
}

void migrate(Database& database) {
  refuse_foreign(database);
  if (version_of(database) < kSchemaVersion) upgrade(database);
  if (version_of(database) > kSchemaVersion)
    database.make_read_only(
        "made by a newer confab, so opened read-only: update confab to change it");
}

}  // namespace confab::sessions
