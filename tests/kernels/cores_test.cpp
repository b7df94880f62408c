// SPDX-License-Identifier: MIT
#include "kernels/cores.h"

#include <gtest/gtest.h>

#include <climits>
#include <filesystem>
#include <fstream>

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

}  // namespace
}  // namespace confab::kernels
