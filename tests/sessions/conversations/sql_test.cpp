// SPDX-License-Identifier: MIT
#include "sessions/conversations/sql.h"

#include <gmock/gmock.h>

#include "sessions/error.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(SqlTest, ValuesComeBackAsTheyWere) {
  auto db = Database::in_memory();
  const std::string binary("\0\xff\x80 x", 5);
  Statement row = db->query("SELECT ?, ?, ?, ?, ?, ?, ?", std::int64_t{-5}, 0.25, binary,
                            Blob{binary}, std::optional<int>{}, std::string_view{}, Blob{});
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.integer(0), -5);
  EXPECT_EQ(row.real(1), 0.25);
  EXPECT_EQ(row.bytes(2), binary);
  EXPECT_EQ(row.bytes(3), binary);
  EXPECT_TRUE(row.is_null(4));
  EXPECT_FALSE(row.is_null(5));
  EXPECT_FALSE(row.is_null(6));
  EXPECT_FALSE(row.step());
}

TEST(SqlTest, TheConnectionIsSetUpToBeSafe) {
  const TempDir dir;
  Database db(dir / "x.db");
  EXPECT_EQ(db.integer("PRAGMA foreign_keys"), 1);
  EXPECT_EQ(db.integer("PRAGMA trusted_schema"), 0);
  EXPECT_EQ(db.integer("PRAGMA secure_delete"), 1);
  EXPECT_EQ(db.integer("PRAGMA synchronous"), 2);
  Statement mode(db, "PRAGMA journal_mode");
  ASSERT_TRUE(mode.step());
  EXPECT_EQ(mode.bytes(0), "persist");
}

TEST(SqlTest, FilesAreForTheOwnerOnly) {
  const TempDir dir;
  const mode_t old = ::umask(0);
  {
    Database db(dir / "data/confab/x.db");
    db.run("CREATE TABLE t(x)");
    EXPECT_EQ(mode_of(dir / "data"), 0700u);
    EXPECT_EQ(mode_of(dir / "data/confab/x.db"), 0600u);
    EXPECT_EQ(mode_of(dir / "data/confab/x.db-journal"), 0600u);
  }
  ::umask(old);
  ::chmod((dir / "data/confab/x.db").c_str(), 0644);
  const Database again(dir / "data/confab/x.db");
  EXPECT_EQ(mode_of(dir / "data/confab/x.db"), 0600u);
}

TEST(SqlTest, AnUncommittedTransactionLeavesNothing) {
  auto db = Database::in_memory();
  db->run("CREATE TABLE t(x)");
  {
    Transaction transaction(*db);
    db->run("INSERT INTO t VALUES(1)");
  }
  EXPECT_EQ(db->integer("SELECT count(*) FROM t"), 0);
  {
    Transaction transaction(*db);
    EXPECT_EQ(db->run("INSERT INTO t VALUES(1), (2)"), 2);
    transaction.commit();
  }
  EXPECT_EQ(db->integer("SELECT count(*) FROM t"), 2);
}

TEST(SqlTest, ErrorsNameTheFile) {
  const TempDir dir;
  Database db(dir / "x.db");
  EXPECT_THAT([&] { db.run("SELEKT 1"); },
              ThrowsMessage<StoreError>(testing::AllOf(HasSubstr("/x.db: "), HasSubstr("SELEKT"))));
  EXPECT_THAT([&] { Database(dir.path()); }, ThrowsMessage<StoreError>(HasSubstr("not a regular")));
  EXPECT_THAT([&] { Database(dir / "x.db/y.db"); },
              ThrowsMessage<StoreError>(HasSubstr("expected a directory")));
}

TEST(SqlTest, ReadOnlyMeansThatWritesThrow) {
  auto db = Database::in_memory();
  db->run("CREATE TABLE t(x)");
  db->make_read_only("made by a newer confab");
  EXPECT_EQ(db->integer("SELECT count(*) FROM t"), 0);
  EXPECT_THROW(db->run("INSERT INTO t VALUES(1)"), StoreError);
  EXPECT_THAT([&] { Transaction{*db}; }, ThrowsMessage<StoreError>(HasSubstr("newer confab")));
}

}  // namespace
}  // namespace confab::sessions
