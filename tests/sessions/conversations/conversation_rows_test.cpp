// SPDX-License-Identifier: MIT
#include "sessions/conversations/conversation_rows.h"

#include <gtest/gtest.h>

#include <array>

#include "sessions/conversations/sql.h"
#include "sessions/conversations/store.h"
#include "tests/temp_dir.h"

namespace confab::sessions {
namespace {

class ConversationRowsTest : public testing::Test {
 protected:
  ConversationRowsTest() {
    for (const char* title : {"One", "two", "Two"})
      store_.create_conversation(std::array{NewMessage{.content = "q"}}, title);
    store_.set_pinned(ConversationId{1}, true);
    db_.run_script("UPDATE conversation SET updated = 1000 + id, created = 100 + id");
  }
  TempDir dir_;
  Store store_{dir_ / "x.db"};
  Database db_{dir_ / "x.db"};
};

TEST_F(ConversationRowsTest, ARowIsRead) {
  const auto one = read_conversation(db_, ConversationId{1});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->title, "One");
  EXPECT_EQ(one->head, store_.messages(ConversationId{1})[0].id);
  EXPECT_EQ(one->created, Time{Time::duration{101}});
  EXPECT_EQ(one->updated, Time{Time::duration{1001}});
  EXPECT_EQ(one->n_messages, 1);
  EXPECT_TRUE(one->pinned);
  EXPECT_TRUE(one->title_given);
  EXPECT_FALSE(read_conversation(db_, ConversationId{9}));
}

TEST_F(ConversationRowsTest, ListsHaveTheirOrder) {
  const auto all = list_conversations(db_, -1);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].title, "One");
  EXPECT_EQ(all[1].title, "Two");
  EXPECT_EQ(list_conversations(db_, 2).size(), 2U);
  EXPECT_EQ(read_latest_conversation(db_)->title, "Two");
  EXPECT_EQ(conversations_titled(db_, "two").size(), 1U);
  ASSERT_EQ(conversations_beginning(db_, "TW").size(), 2U);
  EXPECT_EQ(conversations_beginning(db_, "TW")[0].title, "Two");
}

}  // namespace
}  // namespace confab::sessions
