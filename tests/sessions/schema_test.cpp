// SPDX-License-Identifier: MIT
#include "sessions/schema.h"

#include <gmock/gmock.h>

#include "sessions/error.h"
#include "sessions/sql.h"
#include "sessions/store.h"
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
  EXPECT_FALSE(db.read_only());
  migrate(db);
  EXPECT_EQ(db.integer("PRAGMA user_version"), kSchemaVersion);
}

// Version 1 had no column for the reasoning of an answer.
TEST(SchemaTest, ADatabaseOfVersion1KeepsItsMessages) {
  const TempDir dir;
  const ConversationId id = Store(dir / "x.db").create_conversation({{kHello}}).conversation;
  Database(dir / "x.db")
      .run_script("ALTER TABLE message DROP COLUMN reasoning; PRAGMA user_version = 1");
  Store store(dir / "x.db");
  ASSERT_EQ(store.messages(id).size(), 1u);
  EXPECT_EQ(store.messages(id)[0].content, "hello");
  EXPECT_EQ(store.messages(id)[0].reasoning, "");
  EXPECT_EQ(Database(dir / "x.db").integer("PRAGMA user_version"), kSchemaVersion);
}

TEST(SchemaTest, ANewerDatabaseIsReadOnly) {
  const TempDir dir;
  const ConversationId id = Store(dir / "x.db").create_conversation({{kHello}}).conversation;
  Database(dir / "x.db")
      .run_script("PRAGMA user_version = 3; ALTER TABLE message ADD COLUMN new ANY");
  const std::string before = read_file(dir / "x.db");
  {
    Store store(dir / "x.db");
    EXPECT_TRUE(store.read_only());
    ASSERT_EQ(store.messages(id).size(), 1u);
    EXPECT_EQ(store.messages(id)[0].content, "hello");
    EXPECT_THAT([&] { store.create_conversation({{kHello}}); },
                ThrowsMessage<StoreError>(HasSubstr("newer confab")));
    EXPECT_THROW(store.rename(id, "x"), StoreError);
    EXPECT_THROW(store.remove(id), StoreError);
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
