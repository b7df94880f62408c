// SPDX-License-Identifier: MIT
#include "engine/platform/memory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>
#include <vector>

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
  std::uint64_t available() const { return available_memory(root()); }
  MemoryFacts facts() const { return memory_facts(root()); }
  std::filesystem::path root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

const char* const kMeminfo =
    "MemTotal:       16384000 kB\nMemFree:          102400 kB\nMemAvailable:    8192000 kB\n";

TEST(MemoryTest, IsTheKernelsEstimate) {
  EXPECT_EQ(FakeMachine().file("proc/meminfo", kMeminfo).available(),
            std::uint64_t{8192000} * 1024);
}

// A model that another program has mapped and read is page cache, but not free.
TEST(MemoryTest, PagesOfFilesThatAreMappedAreNotFree) {
  FakeMachine machine;
  const std::string cache = "Active(file):    600000 kB\nInactive(file):  500000 kB\n";
  machine.file("proc/meminfo", kMeminfo + cache + "Mapped:          1000000 kB\n");
  EXPECT_EQ(machine.facts().estimate_bytes, std::uint64_t{8192000} * 1024);
  EXPECT_EQ(machine.facts().mapped_bytes, std::uint64_t{1000000} * 1024);
  EXPECT_EQ(machine.available(), std::uint64_t{7192000} * 1024);
  // What is mapped beyond the files' pages is shared memory, which the estimate never counted.
  machine.file("proc/meminfo", kMeminfo + cache + "Mapped:          3000000 kB\n");
  EXPECT_EQ(machine.available(), std::uint64_t{7092000} * 1024);
}

TEST(MemoryTest, TellsThePhysicalMemoryAndTheSwapInUse) {
  FakeMachine machine;
  machine.file("proc/meminfo", std::string(kMeminfo) + "SwapTotal: 4096 kB\nSwapFree: 1024 kB\n");
  const MemoryFacts facts = machine.facts();
  EXPECT_EQ(facts.physical_bytes, std::uint64_t{16384000} * 1024);
  EXPECT_EQ(facts.swap_bytes, 4 * kMiB);
  EXPECT_EQ(facts.swap_used_bytes, 3 * kMiB);
  EXPECT_FALSE(facts.group);
  EXPECT_FALSE(facts.group_decides());
  EXPECT_EQ(FakeMachine().facts().physical_bytes, kUnknownBytes);
  EXPECT_EQ(FakeMachine().facts().swap_used_bytes, 0U);
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
  machine.file("sys/fs/cgroup/a/b/memory.stat", "active_file " + std::to_string(200 * kMiB) +
                                                    "\nfile_mapped " + std::to_string(150 * kMiB) +
                                                    "\n");
  EXPECT_EQ(machine.available(), 350 * kMiB) << "what the group has mapped is in use";
}

TEST(MemoryTest, TheTightestGroupAboveCounts) {
  FakeMachine machine;
  machine.file("proc/meminfo", kMeminfo).file("proc/self/cgroup", "0::/a/b\n");
  machine.file("sys/fs/cgroup/a/memory.max", std::to_string(500 * kMiB));
  machine.file("sys/fs/cgroup/a/memory.current", std::to_string(100 * kMiB));
  machine.file("sys/fs/cgroup/a/b/memory.max", "max\n");
  machine.file("sys/fs/cgroup/a/b/memory.current", std::to_string(50 * kMiB));
  EXPECT_EQ(machine.available(), 400 * kMiB);
  ASSERT_TRUE(machine.facts().group);
  EXPECT_EQ(machine.facts().group->group, "/a");
  EXPECT_EQ(machine.facts().group->limit_bytes, 500 * kMiB);
  EXPECT_TRUE(machine.facts().group_decides());
}

TEST(MemoryTest, AGroupThatLeavesMoreThanTheMachineDoesNotDecide) {
  FakeMachine machine;
  machine.file("proc/meminfo", kMeminfo).file("proc/self/cgroup", "0::/a\n4:memory:/b\n");
  machine.file("sys/fs/cgroup/a/memory.max", std::to_string(20000 * kMiB));
  machine.file("sys/fs/cgroup/a/memory.current", "0");
  machine.file("sys/fs/cgroup/memory/b/memory.limit_in_bytes", "9223372036854771712");
  machine.file("sys/fs/cgroup/memory/b/memory.usage_in_bytes", "9223372036854771700");
  EXPECT_EQ(machine.available(), std::uint64_t{8192000} * 1024);
  ASSERT_TRUE(machine.facts().group);
  EXPECT_EQ(machine.facts().group->group, "/a") << "the other has no limit";
  EXPECT_FALSE(machine.facts().group_decides());
}

TEST(MemoryTest, ALimitOnTheAddressSpaceLeavesWhatIsNotMappedYet) {
  FakeMachine machine;
  machine.file("proc/meminfo", kMeminfo);
  machine.file("proc/self/limits",
               "Limit                     Soft Limit           Hard Limit           Units     \n"
               "Max address space         524288000            unlimited            bytes     \n");
  EXPECT_FALSE(machine.facts().address_space) << "nobody says what is mapped";
  machine.file("proc/self/status", "VmPeak:\t  900 kB\nVmSize:\t  102400 kB\n");
  ASSERT_TRUE(machine.facts().address_space);
  EXPECT_EQ(machine.facts().address_space->limit_bytes, 500 * kMiB);
  EXPECT_EQ(machine.available(), 400 * kMiB);
  EXPECT_TRUE(machine.facts().address_space_decides());
  EXPECT_FALSE(machine.facts().group_decides());

  MemoryFacts facts = machine.facts();
  facts.group = GroupLimit{"/app", 300 * kMiB, 200 * kMiB};
  EXPECT_EQ(facts.available_bytes(), 200 * kMiB);
  EXPECT_TRUE(facts.group_decides());
  EXPECT_FALSE(facts.address_space_decides());

  machine.file("proc/self/limits", "Max address space         unlimited   unlimited   bytes\n");
  EXPECT_FALSE(machine.facts().address_space);
  EXPECT_EQ(machine.available(), std::uint64_t{8192000} * 1024);
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
  machine.file("sys/fs/cgroup/memory/memory.stat",
               "total_active_file " + std::to_string(100 * kMiB) + "\ntotal_mapped_file " +
                   std::to_string(60 * kMiB) + "\n");
  EXPECT_EQ(machine.available(), 540 * kMiB);
}

TEST(MemoryTest, TellsAnonymousFromMappedMemory) {
  FakeMachine machine;
  machine.file("proc/self/status",
               "Name:\tx\nVmHWM:\t   900 kB\nRssAnon:\t   300 kB\nRssFile:\t   500 kB\n");
  const MemoryUse use = memory_use(machine.root());
  EXPECT_EQ(use.anonymous_bytes, 300U * 1024);
  EXPECT_EQ(use.mapped_bytes, 500U * 1024);
  EXPECT_EQ(use.peak_bytes, 900U * 1024);
  EXPECT_EQ(memory_use(FakeMachine().root()).anonymous_bytes, 0U);
}

TEST(MemoryTest, WhatIsWrittenIsAnonymous) {
  constexpr std::size_t kBytes = 64 * kMiB;
  const MemoryUse before = memory_use();
  const std::vector<char> bytes(kBytes, 1);
  const MemoryUse after = memory_use();
  EXPECT_GE(after.anonymous_bytes, before.anonymous_bytes + kBytes - kMiB) << bytes.size();
  EXPECT_LT(after.mapped_bytes, before.mapped_bytes + kBytes / 2);
  EXPECT_GE(after.peak_bytes, after.anonymous_bytes);
}

TEST(MemoryTest, AFileThatAnotherProcessHasMappedIsShared) {
  FakeMachine machine;
  machine.file("model.gguf", "weights");
  const std::filesystem::path model = machine.root() / "model.gguf";
  struct stat status {};
  ASSERT_EQ(::stat(model.c_str(), &status), 0);
  const auto line = [&](std::uint64_t inode, const std::string& name) {
    return "7f00-7f01 r--s 00000000 fe:00 " + std::to_string(inode) + "    /far/" + name + "\n";
  };
  machine.file("proc/1/maps", line(status.st_ino + 1, "model.gguf"));
  machine.file("proc/2/maps", line(status.st_ino, "other.gguf"));
  machine.file("proc/" + std::to_string(getpid()) + "/maps", line(status.st_ino, "model.gguf"));
  machine.file("proc/self/maps", line(status.st_ino, "model.gguf"));
  EXPECT_FALSE(is_mapped_by_others(model, machine.root()));
  machine.file("proc/3/maps", line(7, "libc.so") + line(status.st_ino, "model.gguf"));
  EXPECT_TRUE(is_mapped_by_others(model, machine.root()));
  EXPECT_FALSE(is_mapped_by_others(machine.root() / "none", machine.root()));
  EXPECT_EQ(bytes_shared_with_others(model), 0U) << "nobody really has";
}

#endif

}  // namespace
}  // namespace confab::engine::platform
