// SPDX-License-Identifier: MIT
#include "engine/run/event_queue.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <string>
#include <thread>

namespace confab::engine {
namespace {

bool readable(const EventQueue& queue, int timeout_ms = 0) {
  pollfd entry{queue.wake_fd(), POLLIN, 0};
  return ::poll(&entry, 1, timeout_ms) == 1;
}

TEST(EventQueueTest, IsReadableExactlyWhileThereAreEvents) {
  EventQueue queue;
  EXPECT_FALSE(readable(queue));
  EXPECT_FALSE(queue.pop());
  queue.push(TextDelta{"a", 1});
  queue.push(Failed{"b"});
  EXPECT_TRUE(readable(queue));
  EXPECT_EQ(std::get<TextDelta>(*queue.pop()).text, "a");
  EXPECT_TRUE(readable(queue));
  EXPECT_EQ(std::get<Failed>(*queue.pop()).message, "b");
  EXPECT_FALSE(readable(queue));
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, WhatWaitsIsMergedSoTheQueueIsBoundedAndNoTextIsLost) {
  EventQueue queue;
  std::string want;
  for (int i = 0; i < 100; ++i) queue.push(PrefillProgress{i, 100, 0});
  for (int i = 0; i < 10000; ++i) {
    queue.push(TextDelta{std::to_string(i), i + 1, {i}});
    want += std::to_string(i);
  }
  queue.push(Finished{FinishReason::length, {}, {1, 2}, 0, 3});
  EXPECT_EQ(std::get<PrefillProgress>(*queue.pop()).n_done, 99);
  const auto text = std::get<TextDelta>(*queue.pop());
  EXPECT_EQ(text.text, want);
  EXPECT_EQ(text.n_generated, 10000);
  ASSERT_EQ(text.tokens.size(), 10000U);
  EXPECT_EQ(text.tokens.back(), 9999);
  EXPECT_EQ(std::get<Finished>(*queue.pop()).tokens.size(), 2U);
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, ReasoningIsMergedAndComesBeforeTheAnswer) {
  EventQueue queue;
  for (int i = 1; i <= 3; ++i) queue.push(ReasoningDelta{"r", i});
  for (int i = 4; i <= 5; ++i) queue.push(TextDelta{"t", i});
  const auto reasoning = std::get<ReasoningDelta>(*queue.pop());
  EXPECT_EQ(reasoning.text, "rrr");
  EXPECT_EQ(reasoning.n_generated, 3);
  EXPECT_EQ(std::get<TextDelta>(*queue.pop()).text, "tt");
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, ThatTheBudgetIsSpentIsNotLostInAMerge) {
  EventQueue queue;
  queue.push(ReasoningDelta{"r", 1});
  queue.push(ReasoningDelta{"", 1, {}, true});
  queue.push(ReasoningDelta{"r", 9});
  EXPECT_TRUE(std::get<ReasoningDelta>(*queue.pop()).at_budget);
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, OneCountWaitsWhateverCameSince) {
  EventQueue queue;
  queue.push(Counted{1, 10});
  queue.push(TextDelta{"a", 1});
  queue.push(Counted{2, std::nullopt});
  EXPECT_EQ(std::get<Counted>(*queue.pop()).number, 2U);
  EXPECT_EQ(std::get<TextDelta>(*queue.pop()).text, "a");
  EXPECT_FALSE(queue.pop());
}

TEST(EventQueueTest, EndsOfTwoAnswersStaySeparate) {
  EventQueue queue;
  queue.push(Failed{"one"});
  queue.push(Failed{"two"});
  queue.push(TextDelta{"a", 1});
  queue.push(Failed{"three"});
  queue.push(TextDelta{"b", 1});
  int n = 0;
  while (queue.pop()) ++n;
  EXPECT_EQ(n, 5);
}

TEST(EventQueueTest, AReaderThatPollsGetsEverythingInOrder) {
  EventQueue queue;
  std::string want, got;
  for (int i = 0; i < 5000; ++i) want += std::to_string(i) + ' ';
  std::jthread writer([&queue] {
    for (int i = 0; i < 5000; ++i) queue.push(TextDelta{std::to_string(i) + ' ', i});
    queue.push(Finished{FinishReason::end_of_turn, {}, {}, 0});
  });
  for (bool done = false; !done;) {
    ASSERT_TRUE(readable(queue, 10000));
    while (const auto event = queue.pop()) {
      if (const auto* text = std::get_if<TextDelta>(&*event)) got += text->text;
      done = done || std::holds_alternative<Finished>(*event);
    }
  }
  EXPECT_EQ(got, want);
}

}  // namespace
}  // namespace confab::engine
