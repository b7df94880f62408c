// SPDX-License-Identifier: MIT
#include "sessions/conversations/schema.h"

#include <gmock/gmock.h>

#include "sessions/conversations/catalog.h"
#include "sessions/conversations/sql.h"
#include "sessions/conversations/store.h"
#include "sessions/error.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const NewMessage kHello{.content = "hello"};

TEST(SchemaTest, AnEmptyDatabaseGetsTheTables) {
  const TempDir dir;
  write_file(dir / "x.db", "");  // as a crash right after its creation leaves it
  Database db(dir / "x.db");
  migrate(db);
  EXPECT_EQ(db.integer("PRAGMA user_version"), kSchemaVersion);
  EXPECT_EQ(db.integer("PRAGMA application_id"), kApplicationId);
  EXPECT_EQ(db.integer("SELECT count(*) FROM conversation"), 0);
  EXPECT_EQ(db.read_only_reason(), "");
  migrate(db);
  EXPECT_EQ(db.integer("PRAGMA user_version"), kSchemaVersion);
}

// The tables of version 1 as they were published, and what its program wrote into them: two
// branches, an answer with tokens and figures, a draft, an attachment whose text is part of the
// question.
constexpr const char* kVersion1 = R"sql(
PRAGMA journal_mode = PERSIST;
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
PRAGMA application_id = 0x636e6662;
PRAGMA user_version = 1;
BEGIN;
INSERT INTO conversation VALUES(7, 'What is in a.md?', 4, 1700000000000, 1700000009000);
INSERT INTO message VALUES
  (1, 7, NULL, 'system', CAST('Be brief.' AS BLOB), 'done', 1700000000000, x'', '', '', '',
    NULL, NULL, NULL, NULL, NULL, NULL),
  (2, 7, 1, 'user', CAST('a.md: zebra crossing. What is in a.md?' AS BLOB), 'done', 1700000001000,
    x'', '', '', '', NULL, NULL, NULL, NULL, NULL, NULL),
  (3, 7, 2, 'assistant', x'4120ff7a6562726100', 'done', 1700000002000, x'05ac02', 'hash-1', 'demo',
    '{"seed":1}', 20, 16, 2, 0.5, 0.25, 0.125),
  (4, 7, 2, 'assistant', CAST('Stripes' AS BLOB), 'draft', 1700000003000, x'', 'hash-1', 'demo',
    '', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO attachment VALUES(2, 'a.md', 15, '00ff');
COMMIT;
)sql";
// What version 2 added to these.
constexpr const char* kVersion2 = R"sql(
ALTER TABLE message ADD COLUMN reasoning BLOB NOT NULL DEFAULT x'';
UPDATE message SET reasoning = CAST('Let me see.' AS BLOB) WHERE id = 3;
PRAGMA user_version = 2;
)sql";

// And version 3.
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
PRAGMA user_version = 3;
)sql";

// And version 4, with what an answer gave by looking up, which it called by no name.
constexpr const char* kVersion4 = R"sql(
ALTER TABLE message ADD COLUMN n_passes INTEGER;
ALTER TABLE message ADD COLUMN n_drafted INTEGER;
ALTER TABLE message ADD COLUMN n_accepted INTEGER;
UPDATE message SET n_passes = 2, n_drafted = 9, n_accepted = 1 WHERE id = 3;
PRAGMA user_version = 4;
)sql";

// And version 5, with what a draft model gave.
constexpr const char* kVersion5 = R"sql(
ALTER TABLE message ADD COLUMN lookup_drafted INTEGER;
ALTER TABLE message ADD COLUMN lookup_accepted INTEGER;
ALTER TABLE message ADD COLUMN model_drafted INTEGER;
ALTER TABLE message ADD COLUMN model_accepted INTEGER;
ALTER TABLE message ADD COLUMN heads_drafted INTEGER;
ALTER TABLE message ADD COLUMN heads_accepted INTEGER;
UPDATE message SET model_drafted = 9, model_accepted = 1 WHERE id = 3;
PRAGMA user_version = 5;
)sql";

// And version 6. A conversation whose date is ahead of the clock was not used after the others.
constexpr const char* kVersion6 = R"sql(
ALTER TABLE message ADD COLUMN reading TEXT NOT NULL DEFAULT 'usual';
ALTER TABLE message ADD COLUMN memory_kept INTEGER;
ALTER TABLE message ADD COLUMN memory_begin INTEGER;
ALTER TABLE message ADD COLUMN memory_noted INTEGER;
ALTER TABLE message ADD COLUMN memory_note BLOB;
PRAGMA user_version = 6;
)sql";

class OldSchemaTest : public testing::TestWithParam<int> {
 protected:
  OldSchemaTest() {
    Database db(dir_ / "x.db");
    db.run_script(kVersion1);
    if (GetParam() >= 2) db.run_script(kVersion2);
    if (GetParam() >= 3) db.run_script(kVersion3);
    if (GetParam() >= 4) db.run_script(kVersion4);
    if (GetParam() >= 5) db.run_script(kVersion5);
    if (GetParam() >= 6) db.run_script(kVersion6);
  }
  TempDir dir_;
};

TEST_P(OldSchemaTest, NothingIsLost) {
  Store store(dir_ / "x.db");
  ASSERT_EQ(store.list().size(), 1u);
  const Conversation c = store.list()[0];
  EXPECT_EQ(c.id, ConversationId{7});
  EXPECT_EQ(c.title, "What is in a.md?");
  EXPECT_TRUE(c.title_given);
  EXPECT_FALSE(c.pinned);
  EXPECT_EQ(c.created, Time{std::chrono::milliseconds(1700000000000)});
  EXPECT_EQ(c.n_messages, 4);
  const auto messages = store.tree(c.id).messages;
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0].role, Role::system);
  EXPECT_EQ(messages[1].content, "a.md: zebra crossing. What is in a.md?");
  ASSERT_EQ(messages[1].attachments.size(), 1u);
  EXPECT_EQ(messages[1].attachments[0], (Attachment{"a.md", 15, "00ff", std::nullopt}));
  EXPECT_EQ(messages[2].content, std::string("A \xffzebra\0", 9));
  EXPECT_EQ(messages[2].tokens, (std::vector<std::int32_t>{5, 300}));
  EXPECT_EQ(messages[2].reasoning, GetParam() >= 2 ? "Let me see." : "");
  ASSERT_TRUE(messages[2].stats);
  EXPECT_EQ(messages[2].stats->n_cached, 16);
  EXPECT_EQ(messages[2].stats->decode.count(), 0.125);
  const bool counted = GetParam() >= 4;
  EXPECT_EQ(messages[2].stats->n_passes, counted ? 2 : 0);
  EXPECT_EQ(messages[2].stats->n_drafted, counted ? 9 : 0);
  EXPECT_EQ(messages[2].stats->n_accepted, counted ? 1 : 0);
  EXPECT_EQ(messages[2].stats->by_model, GetParam() >= 5 ? (DraftCount{9, 1}) : DraftCount());
  for (const DraftCount& count : {messages[2].stats->by_lookup, messages[2].stats->by_heads})
    EXPECT_EQ(count, DraftCount()) << "nobody knows";
  for (const Message& message : messages) {
    EXPECT_EQ(message.reading, Reading::usual);
    EXPECT_FALSE(message.memory) << "all of it is read";
  }
  EXPECT_EQ(messages[3].state, MessageState::draft);
  EXPECT_EQ(messages[3].parent, MessageId{2});
  EXPECT_EQ(store.messages(c.id).back().content, "Stripes");
}

TEST_P(OldSchemaTest, WhatWasThereIsFoundAndTheDatabaseGoesOn) {
  Store store(dir_ / "x.db");
  EXPECT_EQ(Catalog(store).search("zebra").size(), 2u);
  EXPECT_EQ(Catalog(store).search("stripes").size(), 1u);
  const auto next = store.append_message(
      ConversationId{7}, MessageId{4},
      {.content = "more", .attachments = {make_attachment("b.md", "a giraffe")}});
  EXPECT_FALSE(next.branched);
  EXPECT_EQ(Catalog(store).search("giraffe").size(), 1u);
  store.set_reading(next.message, Reading::pinned, Memory{1, 3, 0, "a note"});
  EXPECT_EQ(store.messages_to(next.message).back().memory, (Memory{1, 3, 0, "a note"}));
  EXPECT_EQ(Catalog(store).search("giraffe").size(), 1u);
  store.set_pinned(ConversationId{7}, true);
  store.remove(ConversationId{7});
  EXPECT_TRUE(Catalog(store).search("zebra").empty());
  EXPECT_GT(store.create_conversation({{kHello}}).conversation, ConversationId{7});
}

TEST_P(OldSchemaTest, ADateAheadOfTheClockIsNotTheLatest) {
  Database(dir_ / "x.db")
      .run_script(
          "BEGIN;"
          "INSERT INTO conversation(id, title, head, created, updated)"
          " VALUES(8, 'ahead', 5, 1700000000000, 32503680000000);"
          "INSERT INTO message(id, conversation, role, content, state, created, tokens,"
          " tokenizer_hash, model, sampler)"
          " VALUES(5, 8, 'user', x'61', 'done', 1700000000000, x'', '', '', '');"
          "COMMIT;");
  Store store(dir_ / "x.db");
  EXPECT_EQ(store.latest_conversation()->id, ConversationId{7});
  const ConversationId next = store.create_conversation({{kHello}}).conversation;
  EXPECT_EQ(store.latest_conversation()->id, next);
  EXPECT_GT(store.messages(next)[0].id, MessageId{5});
}

TEST_P(OldSchemaTest, TheTablesBecomeThoseOfANewDatabase) {
  Store{dir_ / "x.db"};
  Store{dir_ / "new.db"};
  const auto schema = [&](const char* name) {
    Database db(dir_ / name);
    Statement rows(db, "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name");
    std::string all;
    while (rows.step()) {
      if (rows.bytes(1) != "sqlite_sequence")
        all += rows.bytes(0) + " " + rows.bytes(1) + " " + rows.bytes(2) + "\n";
    }
    return all;
  };
  EXPECT_EQ(schema("x.db"), schema("new.db"));
  EXPECT_EQ(Database(dir_ / "x.db").integer("PRAGMA user_version"), kSchemaVersion);
}

TEST_P(OldSchemaTest, AMigrationThatFailsLeavesTheOldDatabase) {
  Database(dir_ / "x.db").run("CREATE TABLE upkeep(x)");
  const std::string before = read_file(dir_ / "x.db");
  EXPECT_THROW(Store(dir_ / "x.db"), StoreError);
  EXPECT_EQ(read_file(dir_ / "x.db"), before);
}

INSTANTIATE_TEST_SUITE_P(Versions, OldSchemaTest, testing::Values(1, 2, 3, 4, 5, 6));

// Reading and searching work, writing says why it does not, and no byte changes.
TEST(SchemaTest, ANewerDatabaseIsReadOnly) {
  const TempDir dir;
  ConversationId id{};
  {
    Store store(dir / "x.db");
    const Appended made = store.create_conversation({{kHello}});
    id = made.conversation;
    store.append_message(id, made.message,
                         {.role = Role::assistant, .content = "wor", .state = MessageState::draft});
  }
  Database(dir / "x.db")
      .run_script("PRAGMA user_version = 99; ALTER TABLE message ADD COLUMN new ANY");
  const std::string before = read_file(dir / "x.db");
  {
    Store store(dir / "x.db");
    EXPECT_THAT(store.read_only_reason(), HasSubstr("newer confab"));
    ASSERT_EQ(store.messages(id).size(), 2u);
    EXPECT_EQ(store.messages(id)[0].content, "hello");
    EXPECT_EQ(store.tree(id).messages.size(), 2u);
    EXPECT_EQ(Catalog(store).search("hello").size(), 1u);
    EXPECT_EQ(Catalog(store).search("wor").size(), 1u);
    EXPECT_EQ(store.list().size(), 1u);
    EXPECT_THAT([&] { store.create_conversation({{kHello}}); },
                ThrowsMessage<StoreError>(HasSubstr("newer confab")));
    EXPECT_THROW(store.rename(id, "x"), StoreError);
    EXPECT_THROW(store.set_pinned(id, true), StoreError);
    EXPECT_THROW(store.set_reading(store.messages(id)[0].id, Reading::pinned, {}), StoreError);
    EXPECT_THROW(store.remove(id), StoreError);
    EXPECT_THROW(store.insert({{store.tree(id)}}), StoreError);
  }
  EXPECT_EQ(read_file(dir / "x.db"), before);
}

TEST(SchemaTest, AnotherProgramsDatabaseIsLeftAlone) {
  const TempDir dir;
  Database(dir / "tables.db").run("CREATE TABLE bookmarks(x)");
  Database(dir / "id.db").run_script("PRAGMA application_id = 77; CREATE TABLE conversation(x)");
  for (const char* name : {"tables.db", "id.db"}) {
    const std::string before = read_file(dir / name);
    EXPECT_THAT([&] { Store store(dir / name); },
                ThrowsMessage<StoreError>(HasSubstr("another program")));
    EXPECT_EQ(read_file(dir / name), before);
  }
}

TEST(SchemaTest, ANegativeVersionIsRefused) {
  const TempDir dir;
  Store{dir / "x.db"};
  Database(dir / "x.db").run("PRAGMA user_version = -3");
  EXPECT_THAT([&] { Store store(dir / "x.db"); },
              ThrowsMessage<StoreError>(HasSubstr("schema version -3")));
}

}  // namespace
}  // namespace confab::sessions
