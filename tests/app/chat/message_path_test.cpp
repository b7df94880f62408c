// SPDX-License-Identifier: MIT
#include "app/chat/message_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"

namespace confab::app {
namespace {

using sessions::Role;
using ::testing::ElementsAre;

class MessagePathTest : public ::testing::Test {
 protected:
  MessagePathTest() {
    for (std::size_t i = 0; i < path_.size(); ++i)
      path_[i].id = sessions::MessageId{static_cast<std::int64_t>(i) + 7};
  }
  static std::vector<std::string> texts(std::span<const sessions::Message> messages) {
    std::vector<std::string> all;
    for (const sessions::Message& message : messages) all.push_back(message.content);
    return all;
  }
  MessagePath path_{new_message(Role::system, "s"), new_message(Role::user, "q1"),
                    new_message(Role::assistant, "a1"), new_message(Role::user, "q2"),
                    new_message(Role::assistant, "a2")};
};

TEST_F(MessagePathTest, TheSystemPromptIsNotShown) {
  EXPECT_THAT(texts(shown(path_)), ElementsAre("q1", "a1", "q2", "a2"));
  EXPECT_TRUE(shown({}).empty());
}

TEST_F(MessagePathTest, AMessageBelongsToAQuestion) {
  EXPECT_EQ(question_number(path_, 0), 0U);
  EXPECT_EQ(question_number(path_, 1), 0U);
  EXPECT_EQ(question_number(path_, 99), 2U);
  EXPECT_THROW(question_number({}, 0), UserError);
}

TEST_F(MessagePathTest, TheLastQuestionsAreTakenAway) {
  EXPECT_THAT(texts(without_last(path_, 1)), ElementsAre("s", "q1", "a1"));
  EXPECT_EQ(without_last(path_, 1).back().id, path_[2].id);
  EXPECT_THAT(texts(without_last(path_, 9)), ElementsAre("s"));
}

TEST_F(MessagePathTest, ACopyIsNotSaved) {
  const MessagePath copy = copied(path_, 1, "t");
  EXPECT_THAT(texts(copy), ElementsAre("t", "q2", "a2"));
  for (const sessions::Message& message : copy) EXPECT_EQ(message.id, sessions::MessageId{});
  EXPECT_THAT(texts(copied(path_, 0, "")), ElementsAre("q1", "a1", "q2", "a2"));
  EXPECT_TRUE(copied(path_, 9, "").empty());
}

TEST_F(MessagePathTest, ATreeHasOneBranch) {
  const sessions::ConversationTree tree = tree_of(path_);
  ASSERT_EQ(tree.messages.size(), 5U);
  EXPECT_EQ(tree.messages[4].parent, tree.messages[3].id);
  EXPECT_EQ(tree.conversation.head, tree.messages[4].id);
  EXPECT_FALSE(tree.messages[0].parent);
}

TEST_F(MessagePathTest, WhatIsReadIsCountedFromTheFirstThatIsCopied) {
  path_.back().memory = sessions::Memory{.n_kept = 1, .begin = 4, .n_noted = 3, .note = "n"};
  EXPECT_EQ(copied(path_, 1, "").back().memory,
            (sessions::Memory{.n_kept = 0, .begin = 2, .n_noted = 1, .note = "n"}));
  EXPECT_EQ(copied(path_, 0, "t").back().memory, path_.back().memory);
  path_.back().memory->begin = 2;
  EXPECT_EQ(copied(path_, 1, "").back().memory, std::nullopt) << "all of it is read";
}

}  // namespace
}  // namespace confab::app
