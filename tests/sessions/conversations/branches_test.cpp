// SPDX-License-Identifier: MIT
#include "sessions/conversations/branches.h"

#include <gtest/gtest.h>

namespace confab::sessions {
namespace {

class BranchesTest : public testing::Test {
 protected:
  MessageId add(std::optional<MessageId> parent, std::string content) {
    Message message;
    message.id = MessageId{static_cast<std::int64_t>(tree_.messages.size()) + 1};
    message.parent = parent;
    message.content = std::move(content);
    tree_.messages.push_back(message);
    tree_.conversation.head = message.id;
    return message.id;
  }
  ConversationTree tree_;
};

TEST_F(BranchesTest, AnUnforkedConversationIsOneBranch) {
  EXPECT_TRUE(branches_of(tree_).empty());
  const auto a = add({}, "first");
  add(a, "second");
  const auto branches = branches_of(tree_);
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_EQ(branches[0].n_messages, 2);
  EXPECT_EQ(branches[0].n_before, 0);
  EXPECT_EQ(branches[0].begin, "first");
  EXPECT_TRUE(branches[0].shown);
}

TEST_F(BranchesTest, EachIsToldByTheMessageBehindItsLastFork) {
  const auto q = add({}, "question");
  const auto a1 = add(q, "answer one");
  const auto a2 = add(q, "answer two\nand more");
  const auto q2 = add(a1, "follow-up");
  const auto q3 = add(a1, "another follow-up");
  add(q3, "its answer");
  tree_.conversation.head = q2;
  const auto branches = branches_of(tree_);
  ASSERT_EQ(branches.size(), 3u);
  EXPECT_EQ(branches[0].last, a2);
  EXPECT_EQ(branches[0].begin, "answer two");
  EXPECT_EQ(branches[0].n_before, 1);
  EXPECT_EQ(branches[1].begin, "follow-up");
  EXPECT_TRUE(branches[1].shown);
  EXPECT_FALSE(branches[0].shown);
  EXPECT_EQ(branches[2].begin, "another follow-up");
  EXPECT_EQ(branches[2].n_before, 2);
  EXPECT_EQ(branches[2].n_messages, 4);
}

TEST_F(BranchesTest, TwoFirstMessagesAreAForkAndTheHeadIsAlwaysThere) {
  const auto a = add({}, "one way");
  add(a, "on");
  add({}, "another way");
  tree_.conversation.head = a;  // not the end of its branch
  const auto branches = branches_of(tree_);
  ASSERT_EQ(branches.size(), 3u);
  EXPECT_TRUE(branches[0].shown);
  EXPECT_EQ(branches[1].begin, "one way");
  EXPECT_EQ(branches[2].begin, "another way");
}

}  // namespace
}  // namespace confab::sessions
