// SPDX-License-Identifier: MIT
#include "app/screen/answer_progress.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

using namespace std::chrono_literals;

class AnswerProgressTest : public testing::Test {
 protected:
  AnswerProgressTest() { progress_.begin(now_); }
  template <typename Event>
  void take(const Event& event, AnswerProgress::Clock::duration after) {
    now_ += after;
    progress_.take(event, now_);
  }
  AnswerProgress::Clock::time_point now_{1h};
  AnswerProgress progress_;
};

TEST_F(AnswerProgressTest, TheTimeLeftFollowsFromWhatIsNotCached) {
  EXPECT_FALSE(progress_.time_left(now_));
  take(engine::PrefillProgress{.n_done = 1000, .n_prompt = 3000, .n_cached = 1000}, 1s);
  EXPECT_FALSE(progress_.time_left(now_));
  take(engine::PrefillProgress{.n_done = 1500, .n_prompt = 3000, .n_cached = 1000}, 2s);
  EXPECT_EQ(progress_.time_left(now_), 6s);
  ASSERT_TRUE(progress_.prefill());
  EXPECT_EQ(progress_.prefill()->n_done, 1500);
  take(engine::TextDelta{"a", 1}, 6s);
  EXPECT_FALSE(progress_.prefill());
  EXPECT_FALSE(progress_.time_left(now_));
}

TEST_F(AnswerProgressTest, LoadingGivesWayToReading) {
  take(engine::LoadProgress{.bytes_done = 1, .n_bytes = 2}, 1s);
  EXPECT_TRUE(progress_.load());
  take(engine::PrefillProgress{.n_done = 0, .n_prompt = 3, .n_cached = 0}, 1s);
  EXPECT_FALSE(progress_.load());
}

TEST_F(AnswerProgressTest, SpeedCountsFromTheFirstToken) {
  take(engine::TextDelta{"a", 1}, 10s);
  EXPECT_EQ(progress_.tokens_per_second(now_), 0);
  take(engine::TextDelta{"b", 21}, 2s);
  EXPECT_DOUBLE_EQ(progress_.tokens_per_second(now_), 10);
}

TEST_F(AnswerProgressTest, SilenceIsThatOfAnAnswerThatHasBegun) {
  EXPECT_EQ(progress_.silence(now_ + 60s), std::nullopt) << "it is waited for";
  take(engine::TextDelta{"a", 1}, 1s);
  EXPECT_EQ(progress_.silence(now_ + 9s), std::nullopt);
  EXPECT_EQ(progress_.silence(now_ + 12s), 12s);
  progress_.take(engine::Waiting{"busy", now_ + 60s}, now_);
  EXPECT_EQ(progress_.silence(now_ + 12s), std::nullopt) << "it is known why";
}

TEST_F(AnswerProgressTest, TokensOfAPassAreThoseOfTheWholeAnswer) {
  EXPECT_EQ(progress_.tokens_per_pass(), 0);
  take(engine::ReasoningDelta{.text = "hm", .n_generated = 4, .tokens_per_pass = 1.5}, 1s);
  EXPECT_EQ(progress_.tokens_per_pass(), 1.5);
  take(engine::TextDelta{.text = "a", .n_generated = 9, .tokens_per_pass = 1.25}, 1s);
  EXPECT_EQ(progress_.tokens_per_pass(), 1.25);
  progress_.begin(now_);
  EXPECT_EQ(progress_.tokens_per_pass(), 0);
}

TEST_F(AnswerProgressTest, ReasoningSaysItsLengthAndTime) {
  EXPECT_EQ(progress_.reasoning_label(now_), "");
  take(engine::ReasoningDelta{"hm", 1}, 1s);
  take(engine::ReasoningDelta{"hm", 1200}, 4s);
  EXPECT_EQ(progress_.reasoning_label(now_ + 1s), "Thinking: 1,200 tokens, 5 s");
  take(engine::TextDelta{"a", 1201}, 2s);
  take(engine::TextDelta{"a", 1202}, 9s);
  EXPECT_EQ(progress_.reasoning_label(now_), "Thought for 6 s, 1,200 tokens");
  progress_.begin(now_);
  EXPECT_EQ(progress_.reasoning_label(now_), "");
}

TEST_F(AnswerProgressTest, ReasoningSaysThatItsBudgetEndedIt) {
  take(engine::ReasoningDelta{"hm", 500}, 1s);
  take(engine::ReasoningDelta{"", 500, {}, true}, 2s);
  EXPECT_EQ(progress_.reasoning_label(now_ + 9s), "Thought for 2 s, 500 tokens (budget spent)");
  take(engine::TextDelta{"a", 504}, 4s);
  EXPECT_EQ(progress_.reasoning_label(now_), "Thought for 2 s, 500 tokens (budget spent)");
}

TEST_F(AnswerProgressTest, ReasoningThatNoAnswerFollowsEndsToo) {
  take(engine::ReasoningDelta{"hm", 1}, 1s);
  take(engine::ReasoningDelta{"hm", 3}, 2s);
  now_ += 5s;
  progress_.end();
  EXPECT_EQ(progress_.reasoning_label(now_), "Thought for 2 s, 3 tokens");
}

}  // namespace
}  // namespace confab::app
