// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include "sessions/conversations/catalog.h"
#include "sessions/conversations/store.h"

namespace confab::sessions {
namespace {

NewMessage message(Role role, std::string content) {
  NewMessage out;
  out.role = role;
  out.content = std::move(content);
  return out;
}

// 1 ask ── 2 answer ── 3 ask ── 5 answer
//       └─ 4 answer └─ 6 ask
class OutlineTest : public testing::Test {
 protected:
  OutlineTest() {
    const auto made = store_.create_conversation(std::array{message(Role::user, "a")});
    conversation_ = made.conversation;
    ids_.push_back(made.message);
    for (const auto& [parent, role] : {std::pair{0, Role::assistant},
                                       {1, Role::user},
                                       {0, Role::assistant},
                                       {2, Role::assistant},
                                       {1, Role::user}})
      ids_.push_back(
          store_.append_message(conversation_, ids_[parent], message(role, "x")).message);
    outline_ = Catalog(store_).outline(conversation_);
  }
  Store store_ = Store::in_memory();
  ConversationId conversation_{};
  std::vector<MessageId> ids_;
  Outline outline_;
};

TEST_F(OutlineTest, HasEveryMessageAndWhatItFollows) {
  ASSERT_EQ(outline_.size(), 6u);
  EXPECT_EQ(outline_[0], (OutlineMessage{ids_[0], std::nullopt, Role::user}));
  EXPECT_EQ(outline_[4], (OutlineMessage{ids_[4], ids_[2], Role::assistant}));
  EXPECT_TRUE(Catalog(store_).outline(ConversationId{99}).empty());
}

TEST_F(OutlineTest, CountsSiblings) {
  EXPECT_EQ(sibling_positions(outline_, ids_),
            (std::vector<SiblingPosition>{{1, 1}, {1, 2}, {1, 2}, {2, 2}, {1, 1}, {2, 2}}));
  EXPECT_EQ(sibling_positions(outline_, std::array{MessageId{99}}),
            (std::vector<SiblingPosition>{{1, 1}}));
}

TEST_F(OutlineTest, ASiblingsBranchEndsWhereItWasGoneOnWithLast) {
  EXPECT_EQ(sibling_branch(outline_, ids_[3], -1), ids_[5]);
  EXPECT_EQ(sibling_branch(outline_, ids_[1], 1), ids_[3]);
  EXPECT_EQ(sibling_branch(outline_, ids_[5], -1), ids_[4]);
  EXPECT_EQ(sibling_branch(outline_, ids_[3], 1), std::nullopt);
  EXPECT_EQ(sibling_branch(outline_, ids_[0], -1), std::nullopt);
  EXPECT_EQ(sibling_branch(outline_, MessageId{99}, 1), std::nullopt);
}

}  // namespace
}  // namespace confab::sessions
