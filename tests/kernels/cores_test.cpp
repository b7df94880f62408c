// SPDX-License-Identifier: MIT
#include "kernels/cores.h"

#include <gtest/gtest.h>

#include <climits>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace confab::kernels {
namespace {

namespace fs = std::filesystem;

class CoresTest : public ::testing::Test {
 protected:
  CoresTest() {
    std::string name = (fs::temp_directory_path() / "confab-cores-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~CoresTest() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  int cores() const { return cgroup_cores(root_); }

  std::string root_;
};

TEST_F(CoresTest, NoControlGroupsNoLimit) {
  EXPECT_EQ(cores(), INT_MAX);
}

TEST_F(CoresTest, Version2SmallestOfAllLevels) {
  write("/proc/self/cgroup", "0::/a/b\n");
  write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/a/cpu.max", "350000 100000\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "800000 100000\n");
  EXPECT_EQ(cores(), 3);
}

TEST_F(CoresTest, Version2SeenFromInsideAContainer) {
  write("/proc/self/cgroup", "0::/not/visible\n");
  write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(cores(), 2);
}

TEST_F(CoresTest, LessThanOneProcessorIsOne) {
  write("/proc/self/cgroup", "0::/\n");
  write("/sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cores(), 1);
}

TEST_F(CoresTest, Version1) {
  write("/proc/self/cgroup", "5:memory:/x\n3:cpu,cpuacct:/x\n");
  write("/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "400000\n");
  write("/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores(), 4);
  write("/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cores(), INT_MAX);
}

TEST_F(CoresTest, NonsenseIsNoLimit) {
  write("/proc/self/cgroup", "\n::\n0\n0::relative\n0::/\n");
  write("/sys/fs/cgroup/cpu.max", "many 100000\n");
  EXPECT_EQ(cores(), INT_MAX);
  write("/sys/fs/cgroup/cpu.max", "100000 0\n");
  EXPECT_EQ(cores(), INT_MAX);
  write("/sys/fs/cgroup/cpu.max", "100000");
  EXPECT_EQ(cores(), INT_MAX);
}

TEST(ProcessorList, ReadsRangesAndStopsAtNonsense) {
  EXPECT_EQ(processor_list(""), std::vector<int>{});
  EXPECT_EQ(processor_list("7"), std::vector<int>{7});
  EXPECT_EQ(processor_list("0-3,8,10-11"), (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(processor_list("1,x"), std::vector<int>{1});
  EXPECT_EQ(processor_list("4-2,5-"), std::vector<int>{});
  EXPECT_LT(processor_list("0-999999999999").size(), 100'000U);
}

class PerformanceCoresTest : public CoresTest {
 protected:
  void write_cpu(int processor, const std::string& name, const std::string& text) {
    write("/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/" + name, text + "\n");
  }
  int cores(const std::string& allowed) const {
    return performance_cores(root_, processor_list(allowed));
  }
};

TEST_F(PerformanceCoresTest, ASystemThatSaysNothingHasOneKind) {
  EXPECT_EQ(cores("0-5"), 6);
  EXPECT_EQ(cores(""), 1);
}

TEST_F(PerformanceCoresTest, SiblingsAreOneCore) {
  for (int p = 0; p < 8; ++p) {
    write_cpu(p, "topology/thread_siblings_list",
              std::to_string(p % 4) + "," + std::to_string(p % 4 + 4));
  }
  EXPECT_EQ(cores("0-7"), 4);
  EXPECT_EQ(cores("1,5"), 1);
  EXPECT_EQ(cores("0,5"), 2);  // the sibling of each is not allowed
}

TEST_F(PerformanceCoresTest, IntelsEfficiencyCoresAreLeftOut) {
  write("/sys/devices/cpu_core/cpus", "0-7\n");
  write("/sys/devices/cpu_atom/cpus", "8-15\n");
  for (int p = 0; p < 8; ++p) {
    write_cpu(p, "topology/thread_siblings_list",
              std::to_string(p / 2 * 2) + "-" + std::to_string(p / 2 * 2 + 1));
  }
  EXPECT_EQ(cores("0-15"), 4);
  EXPECT_EQ(cores("6-15"), 1);
  EXPECT_EQ(cores("8-11"), 4);  // nothing better is allowed
}

TEST_F(PerformanceCoresTest, SmallCapacitiesAreLeftOut) {
  const int capacities[] = {250, 250, 250, 250, 870, 870, 870, 1024};
  for (int p = 0; p < 8; ++p) write_cpu(p, "cpu_capacity", std::to_string(capacities[p]));
  EXPECT_EQ(cores("0-7"), 4);
  EXPECT_EQ(cores("0-3"), 4);
  EXPECT_EQ(cores("3-4"), 1);
}

}  // namespace
}  // namespace confab::kernels
