// SPDX-License-Identifier: MIT
#include "app/machine_watch.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

using namespace std::chrono_literals;
using engine::platform::PressureSample;

TEST(MachineWatchTest, NamesTheWorstTrouble) {
  const PressureSample before{.own_ticks = 10, .busy_ticks = 100, .all_ticks = 1000};
  PressureSample after{.own_ticks = 190, .busy_ticks = 300, .all_ticks = 1200};
  EXPECT_EQ(trouble_between(before, after, 1), "");
  after.busy_ticks = 360;
  EXPECT_EQ(trouble_between(before, after, 1), "slow: other programs take 40 % of the processor");
  after.throttled = 1;
  EXPECT_EQ(trouble_between(before, after, 1), "slow: the processor is too hot");
  after.major_faults = 5000;
  EXPECT_EQ(trouble_between(before, after, 0.69), "slow: 31 % of the weights are not in memory");
  EXPECT_EQ(trouble_between(before, after, 1), "slow: 1 % of the weights are not in memory");
  after.swapped_pages = 5000;
  EXPECT_EQ(trouble_between(before, after, 1), "slow: swapping");
}

TEST(MachineWatchTest, LooksAgainAfterAWhileOnly) {
  MachineWatch watch;
  MachineWatch::Clock::time_point now{1h};
  const std::int64_t memory = watch.look("none", true, now).memory_bytes;
  EXPECT_GT(memory, 0);
  std::vector<char> more(std::size_t{64} << 20);
  volatile char* const pages = more.data();
  for (std::size_t i = 0; i < more.size(); i += 1024) pages[i] = 'x';
  EXPECT_EQ(watch.look("none", true, now + 1s).memory_bytes, memory);
  EXPECT_GT(watch.look("none", true, now + 3s).memory_bytes, memory + (32 << 20));
}

}  // namespace
}  // namespace confab::app
