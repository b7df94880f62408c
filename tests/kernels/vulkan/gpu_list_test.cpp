// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::kernels::vulkan {
namespace {

TEST(GpuListTest, SaysOfEachDeviceWhatItIs) {
  CONFAB_NEEDS_GPU();
  const std::vector<GpuInfo> gpus = list_gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    EXPECT_EQ(gpus[i].index, static_cast<int>(i));
    EXPECT_FALSE(gpus[i].name.empty());
    EXPECT_FALSE(gpus[i].driver.empty());
    EXPECT_GT(gpus[i].memory_bytes, 0U);
    EXPECT_LE(gpus[i].available_bytes, gpus[i].memory_bytes);
    EXPECT_GE(gpus[i].subgroup_size, 1);
  }
}

TEST(GpuListTest, PutsSoftwareLast) {
  bool software = false;
  for (const GpuInfo& gpu : list_gpus()) {
    const bool is_software = gpu.type == GpuInfo::Type::processor;
    EXPECT_TRUE(is_software || !software) << gpu.name;
    software = software || is_software;
  }
}

}  // namespace
}  // namespace confab::kernels::vulkan
