// SPDX-License-Identifier: MIT
#include "app/screen/status_line.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <new>

namespace confab::app {
namespace {

using namespace std::chrono_literals;
using engine::platform::PressureSample;

TEST(MachineWatchTest, NamesTheWorstTrouble) {
  const PressureSample before{.own_ticks = 10, .busy_ticks = 100, .all_ticks = 1000};
  PressureSample after{.own_ticks = 190, .busy_ticks = 300, .all_ticks = 1200};
  EXPECT_EQ(trouble_between(before, after, 1), "");
  after.busy_ticks = 360;
  EXPECT_EQ(trouble_between(before, after, 1), "slow: other programs 40 %");
  after.major_faults = 5000;
  EXPECT_EQ(trouble_between(before, after, 0.69), "model 31 % on disk: close programs");
  EXPECT_EQ(trouble_between(before, after, 1), "model 1 % on disk: close programs");
  after.swapped_pages = 5000;
  EXPECT_EQ(trouble_between(before, after, 1), "slow: swapping");
}

// Memory that no allocator had before.
class FreshMemory {
 public:
  explicit FreshMemory(std::size_t n_bytes)
      : n_bytes_(n_bytes),
        begin_(mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (begin_ == MAP_FAILED) throw std::bad_alloc();
    std::memset(begin_, 'x', n_bytes);
  }
  ~FreshMemory() { munmap(begin_, n_bytes_); }
  FreshMemory(const FreshMemory&) = delete;
  FreshMemory& operator=(const FreshMemory&) = delete;

 private:
  std::size_t n_bytes_;
  void* begin_;
};

TEST(MachineWatchTest, LooksAgainAfterAWhileOnly) {
  MachineWatch watch;
  MachineWatch::Clock::time_point now{1h};
  const std::int64_t memory = watch.look("none", true, now).memory_bytes;
  EXPECT_GT(memory, 0);
  const FreshMemory more(std::size_t{64} << 20);
  EXPECT_EQ(watch.look("none", true, now + 1s).memory_bytes, memory);
  EXPECT_GT(watch.look("none", true, now + 3s).memory_bytes, memory + (32 << 20));
}

}  // namespace
}  // namespace confab::app
