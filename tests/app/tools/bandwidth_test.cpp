// SPDX-License-Identifier: MIT
#include "app/tools/bandwidth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/isa.h"

namespace confab::app {
namespace {

// How much is no matter of a test: only that it is a figure, whatever kernels read.
TEST(BandwidthTest, IsAFigureWithEveryTable) {
  kernels::ThreadPool pool(2);
  for (const kernels::KernelTable* table : kernels::usable_kernel_tables()) {
    const double gbs = measure_read_gbs(pool, *table, std::size_t{16} << 20);
    EXPECT_GT(gbs, 0);
    EXPECT_TRUE(std::isfinite(gbs));
  }
}

TEST(BandwidthTest, TheBufferIsBeyondCachesAndWithinMemory) {
  EXPECT_GE(bytes_beyond_caches(), std::size_t{1} << 20);
  EXPECT_LE(bytes_beyond_caches(), std::size_t{64} << 30);
}

}  // namespace
}  // namespace confab::app
