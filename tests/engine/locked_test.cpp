// SPDX-License-Identifier: MIT
#include "engine/locked.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace confab::engine {
namespace {

TEST(LockedTest, ThreadsChangeTheValueOneAtATime) {
  Locked<int> value;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&value] {
        for (int n = 0; n < 1000; ++n) value.with([](int& v) { return ++v; });
      });
    }
  }
  EXPECT_EQ(value.with([](int& v) { return v; }), 4000);
}

TEST(LockedTest, AWaiterSeesTheChangeItWaitsFor) {
  Locked<std::vector<int>> queue;
  int sum = 0;
  std::jthread reader([&] {
    for (int n = 0; n < 100; ++n) {
      sum += queue.wait([](const std::vector<int>& q) { return !q.empty(); },
                        [](std::vector<int>& q) {
                          const int last = q.back();
                          q.pop_back();
                          return last;
                        });
    }
  });
  for (int i = 1; i <= 100; ++i) {
    queue.with([i](std::vector<int>& q) {
      q.push_back(i);
      return q.size();
    });
  }
  reader.join();
  EXPECT_EQ(sum, 5050);
}

TEST(LockedTest, AWaiterGoesOnWithoutTheChangeWhenItsTimeIsOver) {
  Locked<int> value;
  const auto wait = [&value](std::chrono::milliseconds most) {
    return value.wait_for(
        most, [](int v) { return v == 1; }, [](int v, bool ready) { return ready && v == 1; });
  };
  EXPECT_FALSE(wait(std::chrono::milliseconds(1)));
  const std::jthread writer([&value] { value.with([](int& v) { return v = 1; }); });
  EXPECT_TRUE(wait(std::chrono::minutes(1)));
}

}  // namespace
}  // namespace confab::engine
