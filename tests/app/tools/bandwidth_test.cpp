// SPDX-License-Identifier: MIT
#include "app/tools/bandwidth.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

// No machine that this runs on reads slower than a disk or faster than its caches could.
TEST(BandwidthTest, IsAPlausibleFigure) {
  kernels::ThreadPool pool(2);
  const double gbs = measure_read_gbs(pool);
  EXPECT_GT(gbs, 0.05);
  EXPECT_LT(gbs, 5000);
}

}  // namespace
}  // namespace confab::app
