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

}  // namespace
}  // namespace confab::app
