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

TEST(TurnsTest, OnlyWhatIsReadIsToldAndANoteStandsInTheSystemPrompt) {
  std::vector<Message> said = {message(Role::system, "Be kind."), message(Role::user, "one"),
                               message(Role::assistant, "1"), message(Role::user, "two"),
                               message(Role::assistant, "2")};
  said.back().memory = sessions::Memory{.begin = 2};
  auto turns = turns_of(said, "h");
  ASSERT_EQ(turns.size(), 3u);
  EXPECT_EQ(turns[0].message.content, "Be kind.");
  EXPECT_EQ(turns[1].message.content, "two");
  said.back().memory->note = "They asked for one.";
  turns = turns_of(said, "h");
  EXPECT_EQ(turns[0].message.content,
            "Be kind.\n\nSummary of the conversation so far:\nThey asked for one.");
  said.erase(said.begin());
  turns = turns_of(said, "h");
  ASSERT_EQ(turns.size(), 3u);
  EXPECT_EQ(turns[0].message.role, "system");
  EXPECT_EQ(turns[0].message.content, "Summary of the conversation so far:\nThey asked for one.");
}

}  // namespace
}  // namespace confab::app
