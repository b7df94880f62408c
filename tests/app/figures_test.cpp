// SPDX-License-Identifier: MIT
#include "app/figures.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

TEST(FiguresTest, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234), "-1,234");
}

TEST(FiguresTest, SizesHaveTheLargestFittingUnit) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1.0 KiB");
  EXPECT_EQ(size_text((std::uint64_t{8} << 30) + (std::uint64_t{1} << 29)), "8.5 GiB");
  EXPECT_EQ(size_text(~std::uint64_t{0}), "16777216.0 TiB");
}

}  // namespace
}  // namespace confab::app
