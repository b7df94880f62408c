// SPDX-License-Identifier: MIT
#include "engine/events/event_queue.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <string>
#include <thread>

namespace confab::engine {
namespace {

constexpr AnswerId kAnswer{1};

bool readable(const EventQueue& queue, int timeout_ms = 0) {
  pollfd entry{queue.wake_fd(), POLLIN, 0};
  return ::poll(&entry, 1, timeout_ms) == 1;
}

TEST(EventQueueTest, IsReadableExactlyWhileThereAreEvents) {
  EventQueue queue;
  EXPECT_FALSE(readable(queue));
  EXPECT_FALSE(queue.pop());
  queue.push(kAnswer, TextDelta{"a", 1});
  queue.push(kAnswer, Failed{"b"});
  EXPECT_TRUE(readable(queue));
  EXPECT_EQ(std::get<TextDelta>(queue.pop()->event).text, "a");
  EXPECT_TRUE(readable(queue));
  EXPECT_EQ(std::get<Failed>(queue.pop()->event).message, "b");
  EXPECT_FALSE(readable(queue));
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, WhatWaitsIsMergedSoTheQueueIsBoundedAndNoTextIsLost) {
  EventQueue queue;
  std::string want;
  for (int i = 0; i < 100; ++i) queue.push(kAnswer, PrefillProgress{i, 100, 0});
  for (int i = 0; i < 10000; ++i) {
    queue.push(kAnswer, TextDelta{std::to_string(i), i + 1, {i}, i / 2.0});
    want += std::to_string(i);
  }
  queue.push(kAnswer, Finished{FinishReason::length, {}, {1, 2}, 0, 3});
  EXPECT_EQ(std::get<PrefillProgress>(queue.pop()->event).n_done, 99);
  const auto text = std::get<TextDelta>(queue.pop()->event);
  EXPECT_EQ(text.text, want);
  EXPECT_EQ(text.n_generated, 10000);
  EXPECT_EQ(text.tokens_per_pass, 9999 / 2.0);
  ASSERT_EQ(text.tokens.size(), 10000U);
  EXPECT_EQ(text.tokens.back(), 9999);
  EXPECT_EQ(std::get<Finished>(queue.pop()->event).tokens.size(), 2U);
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, KnowsHowMuchTextWaits) {
  EventQueue queue;
  EXPECT_EQ(queue.n_bytes(), 0U);
  for (int i = 0; i < 3; ++i) queue.push(kAnswer, TextDelta{"abc", i});
  queue.push(kAnswer, ReasoningDelta{"de", 4});
  queue.push(AnswerId{2}, Failed{"f"});
  EXPECT_EQ(queue.n_bytes(), 11U);
  queue.pop();
  EXPECT_EQ(queue.n_bytes(), 2U);
  queue.pop();
  EXPECT_EQ(queue.n_bytes(), 0U);
}

TEST(EventQueueTest, ReasoningIsMergedAndComesBeforeTheAnswer) {
  EventQueue queue;
  for (int i = 1; i <= 3; ++i) queue.push(kAnswer, ReasoningDelta{"r", i});
  for (int i = 4; i <= 5; ++i) queue.push(kAnswer, TextDelta{"t", i});
  const auto reasoning = std::get<ReasoningDelta>(queue.pop()->event);
  EXPECT_EQ(reasoning.text, "rrr");
  EXPECT_EQ(reasoning.n_generated, 3);
  EXPECT_EQ(std::get<TextDelta>(queue.pop()->event).text, "tt");
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, ThatTheBudgetIsSpentIsNotLostInAMerge) {
  EventQueue queue;
  queue.push(kAnswer, ReasoningDelta{"r", 1});
  queue.push(kAnswer, ReasoningDelta{"", 1, {}, true});
  queue.push(kAnswer, ReasoningDelta{"r", 9});
  EXPECT_TRUE(std::get<ReasoningDelta>(queue.pop()->event).at_budget);
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, OneCountWaitsWhateverCameSince) {
  EventQueue queue;
  queue.push(AnswerId::none, Counted{1, 10});
  queue.push(kAnswer, TextDelta{"a", 1});
  queue.push(AnswerId::none, Counted{2, std::nullopt});
  EXPECT_EQ(std::get<Counted>(queue.pop()->event).number, 2U);
  EXPECT_EQ(std::get<TextDelta>(queue.pop()->event).text, "a");
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, EndsOfTwoAnswersStaySeparate) {
  EventQueue queue;
  queue.push(kAnswer, Failed{"one"});
  queue.push(kAnswer, Failed{"two"});
  queue.push(kAnswer, TextDelta{"a", 1});
  queue.push(kAnswer, Failed{"three"});
  queue.push(kAnswer, TextDelta{"b", 1});
  int n = 0;
  while (queue.pop()) ++n;
  EXPECT_EQ(n, 5);
}

TEST(EventQueueTest, TextOfAnswersThatAreWrittenTogetherIsMergedByAnswer) {
  EventQueue queue;
  for (int i = 1; i <= 100; ++i) {
    for (std::uint64_t answer = 1; answer <= 3; ++answer)
      queue.push(AnswerId{answer}, TextDelta{std::to_string(answer), i});
  }
  queue.push(AnswerId{2}, Failed{"end"});
  for (std::uint64_t answer = 1; answer <= 3; ++answer) {
    const auto event = queue.pop();
    EXPECT_EQ(event->answer, AnswerId{answer});
    const auto& text = std::get<TextDelta>(event->event);
    EXPECT_EQ(text.n_generated, 100);
    EXPECT_EQ(text.text.find_first_not_of(static_cast<char>('0' + answer)), std::string::npos);
    EXPECT_EQ(text.text.size(), 100U);
  }
  EXPECT_EQ(queue.pop()->answer, AnswerId{2});
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, AReaderThatPollsGetsEverythingInOrder) {
  EventQueue queue;
  std::string want, got;
  for (int i = 0; i < 5000; ++i) want += std::to_string(i) + ' ';
  std::jthread writer([&queue] {
    for (int i = 0; i < 5000; ++i) queue.push(kAnswer, TextDelta{std::to_string(i) + ' ', i});
    queue.push(kAnswer, Finished{FinishReason::end_of_turn, {}, {}, 0});
  });
  for (bool done = false; !done;) {
    ASSERT_TRUE(readable(queue, 10000));
    while (const auto event = queue.pop()) {
      if (const auto* text = std::get_if<TextDelta>(&event->event)) got += text->text;
      done = done || std::holds_alternative<Finished>(event->event);
    }
  }
  EXPECT_EQ(got, want);
}

}  // namespace
}  // namespace confab::engine
