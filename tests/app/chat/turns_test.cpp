// SPDX-License-Identifier: MIT
#include "app/chat/turns.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

using sessions::Message;
using sessions::Role;

Message message(Role role, std::string content) {
  Message out;
  out.role = role;
  out.content = std::move(content);
  return out;
}

TEST(TurnsTest, AnAnswerThatNeverCameIsLeftOutAndQuestionsJoin) {
  const std::vector<Message> said = {message(Role::user, "one"), message(Role::assistant, ""),
                                     message(Role::user, "two"), message(Role::assistant, "2")};
  const auto turns = turns_of(said, "h");
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(turns[0].message.content, "one\n\ntwo");
  EXPECT_EQ(turns[1].message.role, "assistant");
}

TEST(TurnsTest, TokensAreOfOneTokenizerOnly) {
  Message answer = message(Role::assistant, "a");
  answer.tokens = {1, 2};
  answer.tokenizer_hash = "h";
  answer.answer_begin = 1;
  EXPECT_EQ(answer_turn(answer, "h").tokens, (std::vector<engine::Token>{1, 2}));
  EXPECT_EQ(answer_turn(answer, "h").answer_begin, 1);
  EXPECT_TRUE(answer_turn(answer, "other").tokens.empty());
}

}  // namespace
}  // namespace confab::app
