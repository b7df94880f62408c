// SPDX-License-Identifier: MIT
#include "engine/platform/memory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/engine/tiny_model.h"

namespace confab::engine::platform {
namespace {

TEST(MemoryTest, ThisMachineHasSome) {
  EXPECT_GT(available_memory(), std::uint64_t{16} << 20);
}

#ifdef __linux__

constexpr std::uint64_t kMiB = 1 << 20;

// A machine made of files.
class FakeMachine {
 public:
  FakeMachine& file(const std::string& path, const std::string& text) {
    const std::filesystem::path full = std::filesystem::path(folder_.path()) / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
    return *this;
  }
  std::uint64_t available() const {
    return available_memory(std::filesystem::path(folder_.path()));
  }

 private:
  TemporaryFolder folder_;
};

const char* const kMeminfo =
    "MemTotal:       16384000 kB\nMemFree:          102400 kB\nMemAvailable:    8192000 kB\n";

TEST(MemoryTest, IsTheKernelsEstimate) {
  EXPECT_EQ(FakeMachine().file("proc/meminfo", kMeminfo).available(),
            std::uint64_t{8192000} * 1024);
}

TEST(MemoryTest, IsUnlimitedWhenNobodySays) {
  EXPECT_EQ(FakeMachine().available(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(FakeMachine().file("proc/meminfo", "MemAvailable: much\n").available(),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(MemoryTest, AGroupLeavesItsLimitLessWhatCannotBeGivenUp) {
  FakeMachine machine;
  machine.file("proc/meminfo", kMeminfo).file("proc/self/cgroup", "0::/a/b\n");
  machine.file("sys/fs/cgroup/a/b/memory.max", std::to_string(1000 * kMiB));
  machine.file("sys/fs/cgroup/a/b/memory.current", std::to_string(700 * kMiB));
  EXPECT_EQ(machine.available(), 300 * kMiB);
  machine.file("sys/fs/cgroup/a/b/memory.stat",
               "anon 1\nfile 9\nactive_file " + std::to_string(200 * kMiB) + "\ninactive_file " +
                   std::to_string(100 * kMiB) + "\n");
  EXPECT_EQ(machine.available(), 600 * kMiB);
}

TEST(MemoryTest, TheTightestGroupAboveCounts) {
  FakeMachine machine;
  machine.file("proc/meminfo", kMeminfo).file("proc/self/cgroup", "0::/a/b\n");
  machine.file("sys/fs/cgroup/a/memory.max", std::to_string(500 * kMiB));
  machine.file("sys/fs/cgroup/a/memory.current", std::to_string(100 * kMiB));
  machine.file("sys/fs/cgroup/a/b/memory.max", "max\n");
  machine.file("sys/fs/cgroup/a/b/memory.current", std::to_string(50 * kMiB));
  EXPECT_EQ(machine.available(), 400 * kMiB);
}

TEST(MemoryTest, AnOverdrawnGroupLeavesNothing) {
  FakeMachine machine;
  machine.file("proc/meminfo", kMeminfo).file("proc/self/cgroup", "0::/\n");
  machine.file("sys/fs/cgroup/memory.max", "1000\n");
  machine.file("sys/fs/cgroup/memory.current", "2000\n");
  EXPECT_EQ(machine.available(), 0U);
}

TEST(MemoryTest, ReadsTheFirstVersionOfControlGroups) {
  FakeMachine machine;
  machine.file("proc/meminfo", kMeminfo);
  machine.file("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/not/mounted/here\n");
  machine.file("sys/fs/cgroup/memory/memory.limit_in_bytes", std::to_string(800 * kMiB));
  machine.file("sys/fs/cgroup/memory/memory.usage_in_bytes", std::to_string(300 * kMiB));
  machine.file("sys/fs/cgroup/memory/memory.stat",
               "active_file 5\ntotal_active_file " + std::to_string(100 * kMiB) + "\n");
  EXPECT_EQ(machine.available(), 600 * kMiB);
}

#endif

}  // namespace
}  // namespace confab::engine::platform
