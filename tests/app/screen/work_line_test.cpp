// SPDX-License-Identifier: MIT
#include "app/screen/answer_progress.h"

#include <gtest/gtest.h>

#include <vector>

namespace confab::app {
namespace {

using namespace std::chrono_literals;

TEST(WorkLineTest, FollowsTheAnswer) {
  AnswerProgress progress;
  AnswerProgress::Clock::time_point now{1h};
  progress.begin(now);
  EXPECT_EQ(work_line(progress, now), "● 0 s · Esc stop");
  progress.take(engine::Waiting{"work is not ready: Loading model", now + 3s}, now);
  EXPECT_EQ(work_line(progress, now + 1s),
            "work is not ready: Loading model; asking again in 2 s · 1 s · Esc stop");
  EXPECT_EQ(work_line(progress, now + 4s),
            "work is not ready: Loading model; asking again · 4 s · Esc stop");
  progress.take(engine::LoadProgress{512, 2048}, now);
  EXPECT_EQ(work_line(progress, now + 1s), "first use of this model: 25 % · 1 s · Esc stop");
  progress.take(engine::PrefillProgress{.n_done = 0, .n_prompt = 3000, .n_cached = 0}, now + 2s);
  progress.take(engine::PrefillProgress{.n_done = 1000, .n_prompt = 3000, .n_cached = 0}, now + 4s);
  EXPECT_EQ(work_line(progress, now + 4s),
            "▰▰▰▰▱▱▱▱▱▱▱▱ reading 1,000/3,000, 4 s left · 4 s · Esc stop");
  progress.take(engine::TextDelta{"a", 1}, now + 10s);
  EXPECT_EQ(work_line(progress, now + 10s), "● 10 s · 1 token · Esc stop");
  progress.take(engine::TextDelta{"b", 41}, now + 12s);
  EXPECT_EQ(work_line(progress, now + 12s), "● 12 s · 41 tokens · 20.0 tok/s · Esc stop");
  EXPECT_EQ(work_line(progress, now + 21s), "● 21 s · 41 tokens · 3.6 tok/s · Esc stop");
  EXPECT_EQ(work_line(progress, now + 22s), "● 22 s · 41 tokens · nothing for 10 s · Esc stop");
  progress.take(engine::TextDelta{"c", 42}, now + 23s);
  EXPECT_EQ(work_line(progress, now + 23s), "● 23 s · 42 tokens · 3.2 tok/s · Esc stop");
}

TEST(WorkLineTest, OfSeveralAnswersAllAreCounted) {
  std::vector<AnswerProgress> answers(3);
  AnswerProgress::Clock::time_point now{1h};
  for (AnswerProgress& answer : answers) answer.begin(now);
  EXPECT_EQ(work_line(answers, 0, now), "● 0 s · 3 answers · Esc stop all");
  EXPECT_EQ(count_label(answers[0], now), "waiting");
  answers[0].take(engine::PrefillProgress{.n_done = 10, .n_prompt = 40, .n_cached = 0}, now);
  EXPECT_EQ(work_line(answers, 0, now), "▰▰▰▱▱▱▱▱▱▱▱▱ reading 10/40 · 0 s · Esc stop all");
  EXPECT_EQ(count_label(answers[0], now), "reading 10/40");
  answers[0].take(engine::ReasoningDelta{"hm", 3}, now);
  EXPECT_EQ(count_label(answers[0], now + 2s), "Thinking: 3 tokens, 2 s");
  answers[1].take(engine::TextDelta{"a", 1}, now);
  EXPECT_EQ(count_label(answers[1], now), "1 token");
  EXPECT_EQ(work_line(answers, 12.34, now + 1s),
            "● 1 s · 3 answers · 4 tokens · 12.3 tok/s · Esc stop all");
  EXPECT_EQ(end_label(AnswerEnd::finished, 1), "done, 1 token");
  EXPECT_EQ(end_label(AnswerEnd::length, 24), "cut off, 24 tokens");
}

TEST(WorkLineTest, TheEndHasItsFigures) {
  engine::GenerateStats stats;
  stats.n_generated = 41;
  stats.ttft = 500ms;
  stats.decode = 2s;
  EXPECT_EQ(done_line(stats), "✓ 41 tokens in 2.5 s, 20.0 tok/s");
  EXPECT_EQ(done_line({.n_generated = 1, .ttft = 100ms}), "✓ 1 token in 0.1 s");
  stats.n_passes = 16;
  stats.n_drafted = 30;
  stats.n_accepted = 24;
  EXPECT_EQ(done_line(stats), "✓ 41 tokens in 2.5 s, 20.0 tok/s, 2.5 tokens per pass");
  stats.n_passes = 40;
  stats.n_accepted = 1;
  EXPECT_EQ(done_line(stats), "✓ 41 tokens in 2.5 s, 20.0 tok/s");
}

}  // namespace
}  // namespace confab::app
