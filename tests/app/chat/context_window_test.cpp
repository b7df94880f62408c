// SPDX-License-Identifier: MIT
#include "app/chat/context_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace confab::app {
namespace {

using sessions::Memory;
using sessions::Message;
using sessions::Reading;
using sessions::Role;

// A letter a message: q a question, a an answer, p and d a pinned and a dropped question.
std::vector<Message> said(std::string_view letters) {
  std::vector<Message> messages;
  for (const char letter : letters) {
    Message message;
    message.role = letter == 'a' ? Role::assistant : Role::user;
    message.reading = letter == 'p'   ? Reading::pinned
                      : letter == 'd' ? Reading::dropped
                                      : Reading::usual;
    messages.push_back(message);
  }
  return messages;
}

// The same with a dot for each message that is not read.
std::string read(std::string_view letters, const std::optional<Memory>& memory = {},
                 std::size_t at = 0) {
  std::vector<Message> messages = said(letters);
  messages[std::min(at, messages.size() - 1)].memory = memory;
  std::string text(letters);
  const std::vector<bool> reads = is_read(messages);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!reads[i]) text[i] = '.';
  return text;
}

TEST(ContextWindowTest, AllIsReadUnlessSomebodySaysOtherwise) {
  EXPECT_EQ(read("qaqaqa"), "qaqaqa");
  EXPECT_EQ(read("qapada"), "qapa..");
  EXPECT_EQ(read("aqa"), "aqa") << "what comes before the first question";
  EXPECT_TRUE(is_read({}).empty());
}

TEST(ContextWindowTest, OfWhatHasGoneThePinnedAndTheKeptAreRead) {
  EXPECT_EQ(read("qaqaqa", Memory{.begin = 4}), "....qa");
  EXPECT_EQ(read("qapaqaqa", Memory{.begin = 6}), "..pa..qa");
  EXPECT_EQ(read("qaqaqaqa", Memory{.n_kept = 2, .begin = 6}), "qa....qa");
  EXPECT_EQ(read("qaqadaqa", Memory{.begin = 2}), "..qa..qa");
}

TEST(ContextWindowTest, AQuestionThatIsToBeAnsweredIsRead) {
  EXPECT_EQ(read("qad"), "qad");
  EXPECT_EQ(read("qaq", Memory{.begin = 3}), "..q");
  EXPECT_EQ(read("qada"), "qa..") << "once it has its answer it may be dropped";
}

TEST(ContextWindowTest, TheLastMemoryOfABranchHolds) {
  std::vector<Message> messages = said("qaqaqa");
  messages[3].memory = Memory{.begin = 2, .n_noted = 2, .note = "one"};
  messages[5].memory = Memory{.begin = 4, .n_noted = 4, .note = "two"};
  EXPECT_EQ(memory_of(messages).note, "two");
  EXPECT_EQ(memory_place(messages), 5u);
  messages.resize(4);  // the branch before the last step
  EXPECT_EQ(memory_of(messages).note, "one");
  messages.resize(3);
  EXPECT_EQ(memory_of(messages), Memory());
  EXPECT_EQ(memory_place(messages), messages.size());
}

TEST(ContextWindowTest, AMemoryThatNoProgramWroteIsCutToWhatThereIs) {
  std::vector<Message> messages = said("qa");
  messages[1].memory = Memory{.n_kept = 99, .begin = 7, .n_noted = -3};
  EXPECT_EQ(memory_of(messages), (Memory{.n_kept = 2, .begin = 2}));
  messages[1].memory = Memory{.n_kept = 1, .begin = -7, .n_noted = 5};
  EXPECT_EQ(memory_of(messages), Memory());
}

std::vector<TurnSize> turns(std::initializer_list<int> sizes) {
  std::vector<TurnSize> turns;
  for (const int n : sizes) turns.push_back({n});
  return turns;
}

TEST(ContextWindowTest, AStepIsAQuarterOfTheContext) {
  const auto ten = turns({10, 10, 10, 10, 10, 10, 10, 10, 10, 10});
  EXPECT_EQ(next_step(ten, 0, {.n_ctx = 100, .n_room = 10}), (WindowChoice{0, 3}));
  EXPECT_EQ(next_step(ten, 3, {.n_ctx = 80, .n_room = 10}), (WindowChoice{0, 5}));
  EXPECT_EQ(next_step(ten, 0, {.n_ctx = 100, .n_room = 60}), (WindowChoice{0, 6}))
      << "or as much as there has to be room for";
  EXPECT_EQ(next_step(ten, 0, {.n_fixed = 50, .n_ctx = 100, .n_room = 10}), (WindowChoice{0, 6}));
}

TEST(ContextWindowTest, TheLastTurnStays) {
  EXPECT_EQ(next_step(turns({10, 500}), 0, {.n_ctx = 100, .n_room = 10}), (WindowChoice{0, 1}));
  EXPECT_EQ(next_step(turns({500}), 0, {.n_ctx = 100, .n_room = 10}), (WindowChoice{0, 0}));
  EXPECT_EQ(next_step({}, 0, {.n_ctx = 100, .n_room = 10}), (WindowChoice{0, 0}));
  EXPECT_EQ(next_step(turns({10, 10}), 5, {.n_ctx = 10, .n_room = 10}), (WindowChoice{0, 5}));
}

TEST(ContextWindowTest, PinnedTurnsStayAndDroppedOnesFreeNothing) {
  auto five = turns({40, 40, 40, 40, 40});
  five[0].reading = Reading::pinned;
  five[1].reading = Reading::dropped;
  const WindowLimits limits{.n_ctx = 160, .n_room = 10};
  EXPECT_EQ(next_step(five, 0, limits), (WindowChoice{0, 3}));
  for (TurnSize& turn : five) turn.reading = Reading::pinned;
  EXPECT_EQ(next_step(five, 0, limits), (WindowChoice{0, 0})) << "nothing can go";
}

TEST(ContextWindowTest, WhatBeginsWithinTheFirstTokensIsKept) {
  const auto five = turns({30, 30, 30, 30, 30});
  WindowLimits limits{.n_ctx = 120, .n_room = 10};
  EXPECT_EQ(next_step(five, 0, limits), (WindowChoice{0, 2}));
  limits.n_keep = 1;
  EXPECT_EQ(next_step(five, 0, limits), (WindowChoice{1, 3}));
  limits.n_keep = 30;
  EXPECT_EQ(next_step(five, 0, limits), (WindowChoice{1, 3}));
  limits.n_keep = 31;
  EXPECT_EQ(next_step(five, 0, limits), (WindowChoice{2, 4}));
  limits.n_keep = -1;
  EXPECT_EQ(next_step(five, 0, limits), (WindowChoice{1, 3}));
  limits.n_keep = 9999;
  EXPECT_EQ(next_step(five, 0, limits).first, 0u) << "nothing can go";
}

// Whatever there is: no pinned, kept or last turn goes, a step is at least a quarter where there is
// that much to go, and no longer than it has to be.
TEST(ContextWindowTest, AStepIsEnoughAndNotMore) {
  std::mt19937 rng(20261123);
  const auto any = [&rng](int least, int most) {
    return least + static_cast<int>(rng() % static_cast<unsigned>(most - least + 1));
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<TurnSize> all;
    for (int i = any(1, 30); i > 0; --i)
      all.push_back({any(0, 200), static_cast<Reading>(any(0, 5) > 3 ? any(1, 2) : 0)});
    const WindowLimits limits{any(0, 50), any(64, 2048), any(1, 200), any(-1, 300)};
    const auto first = static_cast<std::size_t>(any(0, static_cast<int>(all.size()) - 1));
    const WindowChoice after = next_step(all, first, limits);
    const WindowChoice start{after.n_kept, first};
    const int n_before = n_read(all, start, limits), n_after = n_read(all, after, limits);
    ASSERT_LT(after.first, all.size());
    ASSERT_GE(after.first, first);
    const auto is_enough = [&](int n) {
      return n_before - n >= limits.n_ctx / 4 && n + limits.n_room <= limits.n_ctx;
    };
    const WindowChoice most{after.n_kept, all.size() - 1};
    ASSERT_EQ(is_enough(n_after), is_enough(n_read(all, most, limits))) << round;
    ASSERT_TRUE(is_enough(n_after) || n_after == n_read(all, most, limits)) << round;
    if (after.first > first) {
      const WindowChoice less{after.n_kept, after.first - 1};
      ASSERT_FALSE(is_enough(n_read(all, less, limits))) << round;
      ASSERT_LT(n_after, n_read(all, less, limits)) << "each step frees something, " << round;
    }
  }
}

}  // namespace
}  // namespace confab::app
