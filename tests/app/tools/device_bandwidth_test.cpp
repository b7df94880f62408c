// SPDX-License-Identifier: MIT
#include "app/tools/bandwidth.h"

#include <gtest/gtest.h>

#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::app {
namespace {

// How much is no matter of a test.
TEST(DeviceBandwidthTest, IsAFigure) {
  CONFAB_NEEDS_GPU();
  const double gbs = measure_device_gbs(*kernels::vulkan::some_gpu());
  EXPECT_GT(gbs, 0.01);
  EXPECT_LT(gbs, 1e5);
}

TEST(DeviceBandwidthTest, OfOneThatIsNotThereItIsUnknown) {
  kernels::vulkan::GpuInfo missing;
  missing.index = 4711;
  EXPECT_EQ(measure_device_gbs(missing), 0);
}

}  // namespace
}  // namespace confab::app
