// SPDX-License-Identifier: MIT
#include "app/commands/context.h"

#include <gmock/gmock.h>

#include "tests/app/commands/command_fixture.h"

namespace confab::app {
namespace {

using sessions::Reading;
using testing::HasSubstr;
using testing::IsEmpty;

// The model counts a token for each message, and tells how full the context is.
class ContextCommandsTest : public CommandFixture {
 protected:
  ContextCommandsTest() { model_.change_info().n_ctx = 16; }
  void fill(int n_questions) {
    for (int i = 1; i <= n_questions; ++i) answer("question " + std::to_string(i), "Answer.");
  }
  AnswerOutcome end(int n_used, AnswerEnd end = AnswerEnd::finished) {
    chat_.send("last question");
    chat_.take(engine::TextDelta{"Answer.", 1, {1}});
    engine::Finished event =
        finished({1}, end == AnswerEnd::context_full ? engine::FinishReason::context_full
                                                     : engine::FinishReason::end_of_turn);
    event.n_ctx_used = n_used;
    chat_.take(event);
    return {.end = end};
  }
};

TEST_F(ContextCommandsTest, QuestionsArePinnedDroppedAndRestored) {
  run("/context");
  EXPECT_THAT(last_notice(), HasSubstr("Nothing has been said"));
  fill(3);
  run("/context pin 2");
  EXPECT_EQ(chat_.messages()[2].reading, Reading::pinned);
  EXPECT_THAT(last_notice(), HasSubstr("Question 2 is pinned"));
  run("/context drop 3");
  EXPECT_EQ(chat_.messages()[4].reading, Reading::dropped);
  EXPECT_EQ(chat_.n_ctx_used(), 4);
  run("/context");
  EXPECT_THAT(last_notice(), HasSubstr("The model reads 4 of 16 tokens."));
  EXPECT_THAT(last_notice(), HasSubstr("left out  question 3"));
  run("/context restore 3");
  run("/context restore 2");
  EXPECT_EQ(chat_.messages()[2].reading, Reading::usual);
  EXPECT_EQ(chat_.n_ctx_used(), 6);
  EXPECT_THAT(console_.errors, IsEmpty());
  EXPECT_FALSE(model_.preparations.empty()) << "what is read now is read ahead";
}

TEST_F(ContextCommandsTest, WhatIsWrongIsSaid) {
  fill(1);
  for (const auto& [line, fault] : {std::pair{"/context pin 2", "no question 2; /context lists"},
                                    {"/context pin", "a number is missing: /context pin N"},
                                    {"/context forget 1", "'forget': expected"},
                                    {"/context note", "no note"},
                                    {"/context note Hm.", "reads the whole conversation"},
                                    {"/overflow split", "must be shift, summarise or stop"},
                                    {"/overflow maybe", "not maybe"}}) {
    run(line);
    EXPECT_THAT(last_error(), HasSubstr(fault)) << line;
  }
  chat_.send("more");
  run("/context drop 1");
  EXPECT_THAT(last_error(), HasSubstr("an answer is being written"));
  run("/context");
  EXPECT_THAT(last_notice(), HasSubstr("The model reads"));
}

TEST_F(ContextCommandsTest, ThePolicyIsShownAndSet) {
  run("/overflow");
  EXPECT_EQ(last_notice(), "When the context is full: shift: the oldest questions go.");
  run("/overflow summarize");
  EXPECT_EQ(chat_.context_policy().overflow, Overflow::summarise);
  run("/overflow STOP");
  EXPECT_EQ(chat_.context_policy().overflow, Overflow::stop);
  EXPECT_THAT(last_notice(), HasSubstr("you are asked"));
}

TEST_F(ContextCommandsTest, WhatGoesIsTold) {
  fill(4);
  make_room(context_, end(15));
  EXPECT_GT(chat_.memory().begin, 0);
  EXPECT_THAT(last_notice(), HasSubstr("Memory now begins at \"question"));
  run("/context restore 1");
  EXPECT_EQ(chat_.messages()[0].reading, Reading::pinned) << "else it would go again";
  EXPECT_THAT(last_notice(), HasSubstr("Question 1 is pinned"));
  run("/context restore 1");
  EXPECT_EQ(chat_.messages()[0].reading, Reading::usual);
  EXPECT_THAT(last_notice(), HasSubstr("no longer pinned, and has gone"));
}

TEST_F(ContextCommandsTest, WithMuchRoomNothingHappens) {
  fill(4);
  const std::size_t n = console_.notices.size();
  make_room(context_, end(12));
  EXPECT_EQ(chat_.memory().begin, 0);
  EXPECT_EQ(console_.notices.size(), n);
}

TEST_F(ContextCommandsTest, AnAnswerThatFillsTheContextGoesOn) {
  fill(4);
  make_room(context_, end(16, AnswerEnd::context_full));
  EXPECT_TRUE(chat_.generating());
  EXPECT_EQ(console_.n_answers_shown, 1);
  EXPECT_THAT(last_notice(), HasSubstr("the answer goes on"));
}

TEST_F(ContextCommandsTest, SeveralAnswersDoNotGoOn) {
  fill(4);
  make_room(context_, end(16, AnswerEnd::context_full), 3);
  EXPECT_FALSE(chat_.generating());
  EXPECT_GT(chat_.memory().begin, 0) << "but there is room for the next question";
}

TEST_F(ContextCommandsTest, WhoWantsToBeAskedIs) {
  run("/overflow stop");
  fill(4);
  const AnswerOutcome outcome = end(16, AnswerEnd::context_full);
  make_room(context_, outcome);
  ASSERT_EQ(console_.confirmations.size(), 1u);
  EXPECT_EQ(console_.confirmations[0],
            "The context of 16 tokens is full. Let the oldest questions go, and go on?");
  EXPECT_FALSE(chat_.generating());
  EXPECT_EQ(chat_.memory().begin, 0);
  console_.reply = "y";
  make_room(context_, outcome);
  EXPECT_TRUE(chat_.generating());
  answer("Answer and more.");
  const std::size_t n_prepared = model_.preparations.size();
  make_room(context_, {.end = AnswerEnd::failed, .too_long = true});
  EXPECT_THAT(console_.confirmations.back(), HasSubstr("to ask again?"));
  EXPECT_EQ(model_.preparations.size(), n_prepared + 1) << "what is left is read meanwhile";
}

TEST_F(ContextCommandsTest, ANoteIsWrittenBehindTheChatShownAndChanged) {
  run("/overflow summarise");
  fill(4);
  make_room(context_, end(15));
  ASSERT_TRUE(chat_.is_noting());
  EXPECT_THAT(last_notice(), HasSubstr("Writing a note"));
  chat_.take_note(engine::TextDelta{"They counted.", 1});
  chat_.take_note(finished({1}));
  run("/context note");
  EXPECT_EQ(last_notice(), "They counted.");
  run("/context note They counted to four.");
  EXPECT_EQ(chat_.memory().note, "They counted to four.");
  run("/context note none");
  EXPECT_EQ(chat_.memory().note, "");
}

TEST_F(ContextCommandsTest, ForgettingGoesOnFromWhereMemoryBegins) {
  fill(4);
  make_room(context_, end(15));
  const int begin = chat_.memory().begin;
  run("/forget");
  EXPECT_EQ(chat_.memory().begin, begin + 2);
  EXPECT_THAT(last_notice(), HasSubstr("Memory now begins"));
}

}  // namespace
}  // namespace confab::app
