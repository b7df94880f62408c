// SPDX-License-Identifier: MIT
#include "engine/size_text.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(SizeTextTest, SizesHaveTheLargestFittingUnit) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1.0 KiB");
  EXPECT_EQ(size_text(std::uint64_t{512} << 20), "512.0 MiB");
  EXPECT_EQ(size_text((std::uint64_t{8} << 30) + (std::uint64_t{1} << 29)), "8.5 GiB");
  EXPECT_EQ(size_text(~std::uint64_t{0}), "16777216.0 TiB");
}

}  // namespace
}  // namespace confab::engine
