// SPDX-License-Identifier: MIT
#include "kernels/os_thread.h"

#include <gtest/gtest.h>

#include <thread>

namespace confab::kernels {
namespace {

TEST(OsThread, SleepReturnsAtOnceWhereTheValueIsAnother) {
  std::atomic<std::uint32_t> value{7};
  sleep_while(value, 6);
  EXPECT_EQ(value.load(), 7U);
}

TEST(OsThread, WakesAllWhoSleep) {
  std::atomic<std::uint32_t> value{0};
  const auto wait = [&] {
    while (value.load(std::memory_order_acquire) == 0) sleep_while(value, 0);
  };
  std::thread one(wait), other(wait);
  wake_all(value);
  one.join();
  other.join();
  EXPECT_EQ(value.load(), 1U);
}

#ifdef __linux__

TEST(OsThread, TimeGoesOnWhileAThreadRunsButNoFasterThanTheClock) {
  const OsThread self = OsThread::current();
  const auto wall = std::chrono::steady_clock::now();
  const auto start = self.cpu_time();
  while (self.cpu_time() == start) {
  }
  const auto ran = self.cpu_time() - start;
  EXPECT_LE(ran, std::chrono::steady_clock::now() - wall + std::chrono::milliseconds(1));
}

TEST(OsThread, TimeStandsStillWhileAThreadSleeps) {
  std::atomic<std::uint32_t> asleep{0}, stop{0};
  OsThread thread;
  std::thread sleeper([&] {
    thread = OsThread::current();
    asleep.store(1, std::memory_order_release);
    while (stop.load(std::memory_order_acquire) == 0) sleep_while(stop, 0);
  });
  while (asleep.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  auto before = thread.cpu_time();
  for (auto now = before; (now = thread.cpu_time()) != before; before = now)
    std::this_thread::yield();
  EXPECT_GT(before.count(), 0);
  wake_all(stop);
  sleeper.join();
}

TEST(OsThread, MovesToWhereItMayRun) {
  const OsThread self = OsThread::current();
  const ProcessorSet all = self.processors();
  ASSERT_TRUE(all.any());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) continue;
    self.set_processors(ProcessorSet{}.set(i));
    EXPECT_EQ(current_processor(), static_cast<int>(i));
  }
  self.set_processors({});  // no effect
  EXPECT_EQ(self.processors().count(), 1U);
  self.set_processors(all);
  EXPECT_EQ(self.processors(), all);
}

#endif

}  // namespace
}  // namespace confab::kernels
