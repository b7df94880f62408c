// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ui/transcript/transcript_fixture.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

class TranscriptTest : public TranscriptFixture {};

TEST_F(TranscriptTest, AGrowingAnswerShowsThatItIsAwaited) {
  said_.begin_answer();
  EXPECT_EQ(draw(5, 20), "…\n");
  said_.append_answer("Hel");
  said_.append_answer("lo");
  EXPECT_EQ(draw(5, 20), "Hello\n");
  said_.end_answer();
}

TEST_F(TranscriptTest, AnAnswerGrowsWhereItBegan) {
  said_.begin_answer();
  said_.append_answer("one ");
  said_.add_answer("queued");
  said_.append_answer("two");
  EXPECT_EQ(draw(6, 20), "one two\n\nqueued\n");
}

TEST_F(TranscriptTest, ClearForgetsAll) {
  said_.begin_answer();
  said_.append_answer("text");
  said_.clear();
  EXPECT_EQ(said_.layout().items.size(), 0u);
  EXPECT_EQ(draw(3, 20), "\n");
  said_.append_answer("late");
  said_.end_answer();
  EXPECT_EQ(draw(3, 20), "\n");
}

TEST_F(TranscriptTest, OfSeveralAnswersTheOneThatIsTurnedToStays) {
  said_.add_user("Why?");
  EXPECT_EQ(said_.answers(), nullptr);
  said_.begin_answers(2, 1);
  said_.answers()->append(0, "One.");
  said_.answers()->append(1, "Two.");
  said_.answers()->turn_to(1);
  said_.set_tail("working");
  EXPECT_EQ(draw(12, 40), "› Why?\n\nTwo.\n\nanswer 2 of 2 · 1\n\nworking\n");
  said_.set_tail("");
  said_.end_answers("hm");
  EXPECT_EQ(said_.answers(), nullptr);
  EXPECT_EQ(draw(12, 40), "› Why?\n\n▸ Thoughts\n\nTwo.\n");
  EXPECT_EQ(said_.layout().items.back().number(), 1U);
  EXPECT_TRUE(said_.layout().items.back().finished());
}

TEST_F(TranscriptTest, ReasoningStandsAboveTheAnswer) {
  said_.add_user("Why?");
  said_.begin_answer();
  said_.append_reasoning("Let me\x1b ");
  said_.append_reasoning("think.");
  said_.append_answer("Because.");
  said_.end_answer();
  said_.append_reasoning("too late");
  EXPECT_EQ(draw(12, 40), "› Why?\n\n▸ Thoughts\n\nBecause.\n");
  said_.open_reasoning(true);
  const std::string shown = draw(12, 40);
  EXPECT_LT(shown.find("Why?"), shown.find("Let me"));
  EXPECT_LT(shown.find("think."), shown.find("Because."));
  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown.find("too late"), std::string::npos);
  EXPECT_EQ(said_.layout().items.size(), 3U);
}

TEST_F(TranscriptTest, ReasoningSaysHowLongItTook) {
  said_.begin_answer();
  said_.append_reasoning("hm");
  said_.label_reasoning("Thinking: 2 s");
  EXPECT_EQ(draw(5, 40), "▸ Thinking: 2 s\n\n…\n");
  said_.append_answer("So.");
  said_.end_answer();
  said_.label_reasoning("Thought for 3 s");
  EXPECT_EQ(draw(5, 40), "▸ Thought for 3 s\n\nSo.\n");
}

TEST_F(TranscriptTest, LabelsStandAboveTheirMessage) {
  said_.add_user("one", 0);
  said_.add_answer("two", 1);
  said_.label_messages(std::vector<std::string>{"", "2/3"});
  EXPECT_EQ(draw(9, 20), "› one\n\n2/3\ntwo\n");
  said_.label_messages(std::vector<std::string>{"1/1", ""});
  EXPECT_EQ(draw(9, 20), "1/1\n› one\n\ntwo\n");
}

TEST_F(TranscriptTest, RawShowsHowAnswersWereWritten) {
  said_.add_answer("**a**");
  said_.show_raw(true);
  said_.add_answer("*b*");
  EXPECT_EQ(draw(9, 20), "**a**\n\n*b*\n");
}

TEST_F(TranscriptTest, TheTailIsAlwaysLastAndGoesWithWhatComesNext) {
  said_.add_user("Hi");
  said_.begin_answer();
  said_.set_tail("1 s");
  said_.append_reasoning("hm");
  said_.append_answer("Hello.");
  said_.set_tail("2 s");
  EXPECT_EQ(draw(12, 40), "› Hi\n\n▸ Thoughts\n\nHello.\n\n2 s\n");
  said_.end_answer();
  said_.set_tail("");
  EXPECT_EQ(draw(12, 40), "› Hi\n\n▸ Thoughts\n\nHello.\n");
  said_.set_tail("stopped");
  said_.add_user("And?");
  EXPECT_EQ(draw(12, 40), "› Hi\n\n▸ Thoughts\n\nHello.\n\n› And?\n");
}

TEST_F(TranscriptTest, TheTailIsNeverTakenAndLeavesTheViewWhereItWas) {
  said_.add_answer("one\n\ntwo\n\nthree");
  said_.set_tail("stopped");
  EXPECT_EQ(to_text(view_.settled().take(Cols{40})), "  one\n  \n  two\n  \n  three\n");
  EXPECT_EQ(to_text(view_.settled().rest(Cols{40}, 9)), "\n  stopped\n");
  draw(2, 40);
  view_.window().to_top();
  view_.search().find("stopped");
  said_.set_tail("");
  EXPECT_EQ(draw(9, 10), "one\n\ntwo\n\nthree\n");
  EXPECT_FALSE(view_.search().find_next(1));
}

}  // namespace
}  // namespace confab::ui
