// SPDX-License-Identifier: MIT
#include "sessions/conversations/message_rows.h"

#include <gtest/gtest.h>

#include "sessions/conversations/schema.h"
#include "sessions/conversations/sql.h"
#include "sessions/error.h"

namespace confab::sessions {
namespace {

class MessageRowsTest : public testing::Test {
 protected:
  MessageRowsTest() {
    migrate(*db_);
    db_->run("PRAGMA foreign_keys = OFF");  // a conversation without a head, for these tests
    db_->run("INSERT INTO conversation(id, title, head, created, updated) VALUES(1, '', 0, 0, 0)");
  }
  MessageId insert(std::optional<MessageId> parent, Message message) {
    return insert_message(*db_, ConversationId{1}, parent, message);
  }
  static Message with_files(std::vector<Attachment> files) {
    Message message;
    message.attachments = std::move(files);
    return message;
  }
  std::int64_t n_contents() { return db_->integer("SELECT count(*) FROM attachment_content"); }

  std::unique_ptr<Database> db_ = Database::in_memory();
};

TEST_F(MessageRowsTest, EveryFieldComesBack) {
  Message in;
  in.role = Role::assistant;
  in.content = std::string("nul \0 and \xff", 11);
  in.state = MessageState::stopped;
  in.tokens = {1, 300, 151643};
  in.tokenizer_hash = "abc";
  in.model = "m";
  in.sampler_json = "{}";
  in.attachments = {make_attachment("a", std::string("x\0y", 3)), {"old", 9, "00ff"}};
  in.reasoning = "hm";
  in.answer_begin = 2;
  in.reading = Reading::pinned;
  in.memory = Memory{2, 6, 4, "a note \xff"};
  in.created = Time{std::chrono::milliseconds(1234567)};
  in.stats = MessageStats{1,
                          2,
                          3,
                          4,
                          5,
                          6,
                          {7, 8},
                          {9, 10},
                          {11, 12},
                          std::chrono::duration<double>(0.1),
                          std::chrono::duration<double>(0.2),
                          std::chrono::duration<double>(0.3)};
  const MessageId root = insert(std::nullopt, {});
  in.id = insert(root, in);
  in.conversation = ConversationId{1};
  in.parent = root;
  EXPECT_EQ(read_path(*db_, in.id).back(), in);
  EXPECT_EQ(read_tree(*db_, ConversationId{1}).back(), in);
}

TEST_F(MessageRowsTest, EqualContentsAreKeptOnce) {
  insert({}, with_files({make_attachment("a", "same"), make_attachment("b", "same")}));
  insert({}, with_files({make_attachment("c", "same"), make_attachment("d", "")}));
  EXPECT_EQ(n_contents(), 2);
  const auto all = read_tree(*db_, ConversationId{1});
  EXPECT_EQ(all[0].attachments[1].content, "same");
  EXPECT_EQ(all[1].attachments[1].content, "");  // empty is kept, unlike nullopt
}

TEST_F(MessageRowsTest, AnEqualHashIsNoEqualContent) {
  insert({}, with_files({{"a", 3, "1234", "one"}}));
  insert({}, with_files({{"b", 3, "1234", "two"}}));
  EXPECT_EQ(n_contents(), 2);
  EXPECT_EQ(read_tree(*db_, ConversationId{1})[1].attachments[0].content, "two");
}

TEST_F(MessageRowsTest, ContentsGoWithTheLastMessageThatHasThem) {
  const auto first = insert({}, with_files({make_attachment("a", "same")}));
  const auto second = insert({}, with_files({make_attachment("b", "same")}));
  db_->run("PRAGMA foreign_keys = ON");
  const auto remove = [&](MessageId id) {
    const auto contents = contents_of(*db_, ConversationId{1});
    db_->run("DELETE FROM message WHERE id = ?", id);
    delete_unused(*db_, contents);
  };
  remove(first);
  EXPECT_EQ(n_contents(), 1);
  remove(second);
  EXPECT_EQ(n_contents(), 0);
}

TEST_F(MessageRowsTest, APathLeavesOtherBranchesOut) {
  const auto root = insert({}, {});
  const auto left = insert(root, {});
  const auto right = insert(root, {});
  EXPECT_EQ(read_path(*db_, left).size(), 2u);
  EXPECT_EQ(read_path(*db_, right).back().id, right);
  EXPECT_EQ(read_tree(*db_, ConversationId{1}).size(), 3u);
  EXPECT_TRUE(read_path(*db_, MessageId{99}).empty());
}

TEST_F(MessageRowsTest, WhatIsReadIsWrittenAndTakenBack) {
  const MessageId id = insert({}, {});
  write_reading(*db_, id, Reading::dropped, Memory{.begin = 2});
  EXPECT_EQ(read_path(*db_, id).back().reading, Reading::dropped);
  EXPECT_EQ(read_path(*db_, id).back().memory, Memory{.begin = 2});
  write_reading(*db_, id, Reading::usual, std::nullopt);
  EXPECT_EQ(read_path(*db_, id).back().reading, Reading::usual);
  EXPECT_FALSE(read_path(*db_, id).back().memory);
}

TEST_F(MessageRowsTest, AnUnknownReadingIsDamage) {
  const MessageId id = insert({}, {});
  db_->run("UPDATE message SET reading = 'perhaps'");
  EXPECT_THROW(read_path(*db_, id), StoreError);
}

TEST_F(MessageRowsTest, AnUnknownRoleIsDamage) {
  const auto id = insert({}, {});
  db_->run("UPDATE message SET role = 'robot'");
  EXPECT_THROW(read_path(*db_, id), StoreError);
}

}  // namespace
}  // namespace confab::sessions
