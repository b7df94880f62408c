// SPDX-License-Identifier: MIT
#include "engine/platform/fault_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace confab::engine::platform {
namespace {

constexpr std::size_t kSlot = 128 * 1024;
constexpr int kSlots = 4;

// Four slots, in each of which a file of its own is mapped.
class FaultGuardTest : public testing::Test {
 protected:
  FaultGuardTest() {
    void* range =
        ::mmap(nullptr, kSlot * kSlots, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin = static_cast<std::byte*>(range);
    for (int i = 0; i < kSlots; ++i) {
      std::string name = testing::TempDir() + "/slotXXXXXX";
      const int fd = ::mkstemp(name.data());
      ::unlink(name.c_str());
      EXPECT_EQ(::write(fd, std::string(kSlot, 'x').data(), kSlot), static_cast<ssize_t>(kSlot));
      EXPECT_NE(::mmap(slot(i), kSlot, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0), MAP_FAILED);
      files.push_back(fd);
    }
  }
  ~FaultGuardTest() override {
    ::munmap(begin, kSlot * kSlots);
    for (const int fd : files) ::close(fd);
  }
  std::byte* slot(int i) const { return begin + kSlot * static_cast<std::size_t>(i); }
  void truncate(int i) { ASSERT_EQ(::ftruncate(files[static_cast<std::size_t>(i)], 0), 0); }
  int sum(int i) const {
    int n = 0;
    for (std::size_t k = 0; k < kSlot; k += 512) n += std::to_integer<int>(slot(i)[k]);
    return n;
  }
  static constexpr int kWhole = 256 * 'x';

  std::byte* begin;
  std::vector<int> files;
};

TEST_F(FaultGuardTest, ALostFileBecomesZerosAndIsReported) {
  FaultGuard guard(begin, kSlot * kSlots, kSlot);
  ASSERT_TRUE(guard.arm());
  EXPECT_EQ(sum(2), kWhole);
  EXPECT_FALSE(guard.take_lost());
  truncate(3);
  truncate(1);
  EXPECT_EQ(sum(3), 0);
  EXPECT_EQ(sum(1), 0);
  EXPECT_EQ(guard.take_lost(), 1);
  EXPECT_FALSE(guard.take_lost());
  EXPECT_EQ(sum(0), kWhole);
  slot(3)[7] = std::byte{1};  // memory of our own now
  EXPECT_EQ(slot(3)[7], std::byte{1});
}

TEST_F(FaultGuardTest, ThreadsThatFaultAtOnceAllGoOn) {
  FaultGuard guard(begin, kSlot * kSlots, kSlot);
  ASSERT_TRUE(guard.arm());
  for (int i = 0; i < kSlots; ++i) truncate(i);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < kSlots; ++i) EXPECT_EQ(sum(i), 0);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(guard.take_lost(), 0);
}

// Three quarters of the range in slots of half of it: what follows the last one is left alone.
TEST_F(FaultGuardTest, TheLastSlotMayBeShorter) {
  FaultGuard guard(begin, 3 * kSlot, 2 * kSlot);
  ASSERT_TRUE(guard.arm());
  truncate(2);
  EXPECT_EQ(sum(2), 0);
  EXPECT_TRUE(guard.has_lost());
  EXPECT_TRUE(guard.has_lost());
  EXPECT_EQ(guard.take_lost(), 1);
  EXPECT_FALSE(guard.has_lost());
  EXPECT_EQ(sum(0), kWhole);
  EXPECT_EQ(sum(3), kWhole);
}

using FaultGuardDeathTest = FaultGuardTest;

TEST_F(FaultGuardDeathTest, OtherFaultsGoToTheActionBefore) {
  const auto read_elsewhere = [this](void (*before)(int)) {
    ::signal(SIGBUS, before);
    FaultGuard guard(begin, 2 * kSlot, kSlot);  // not of the last two
    if (!guard.arm()) ::_exit(1);
    truncate(3);
    ::_exit(sum(3) == 0 ? 2 : 3);
  };
  EXPECT_EXIT(read_elsewhere(SIG_DFL), testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(read_elsewhere([](int) { ::_exit(42); }), testing::ExitedWithCode(42), "");
  EXPECT_EXIT(read_elsewhere([](int) {}), testing::KilledBySignal(SIGBUS), "");  // does nothing
}

TEST_F(FaultGuardDeathTest, ASentSignalIsNoFault) {
  const auto kill_self = [this] {
    ::signal(SIGBUS, SIG_DFL);
    FaultGuard guard(begin, kSlot * kSlots, kSlot);
    if (!guard.arm()) ::_exit(1);
    ::raise(SIGBUS);
    ::_exit(2);
  };
  EXPECT_EXIT(kill_self(), testing::KilledBySignal(SIGBUS), "");
}

TEST_F(FaultGuardTest, ThereAreOnlySoMany) {
  std::deque<FaultGuard> guards;
  for (int i = 0; i < FaultGuard::kMaxGuards; ++i) guards.emplace_back(begin, kSlot, kSlot);
  FaultGuard one_too_many(begin, kSlot, kSlot);
  EXPECT_FALSE(one_too_many.arm());
  EXPECT_FALSE(one_too_many.take_lost());
  guards.pop_front();
  FaultGuard again(begin, kSlot, kSlot);
  EXPECT_TRUE(again.arm());
}

}  // namespace
}  // namespace confab::engine::platform
