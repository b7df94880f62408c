// SPDX-License-Identifier: MIT
#include "ui/meter.h"

#include <gtest/gtest.h>

namespace confab::ui {
namespace {

TEST(MeterTest, FillsInProportion) {
  EXPECT_EQ(meter(0, 100, Cols{4}), "▱▱▱▱");
  EXPECT_EQ(meter(1, 100, Cols{4}), "▰▱▱▱");
  EXPECT_EQ(meter(50, 100, Cols{4}), "▰▰▱▱");
  EXPECT_EQ(meter(99, 100, Cols{4}), "▰▰▰▱");
  EXPECT_EQ(meter(100, 100, Cols{4}), "▰▰▰▰");
  EXPECT_EQ(meter(300, 100, Cols{4}), "▰▰▰▰");
  EXPECT_EQ(meter(0, 0, Cols{2}), "▱▱");
  EXPECT_EQ(meter(5, 10, Cols{0}), "");
}

TEST(MeterTest, TheColourStepsUpAsItFills) {
  EXPECT_EQ(meter_role(69, 100), Role::meter_low);
  EXPECT_EQ(meter_role(70, 100), Role::meter_mid);
  EXPECT_EQ(meter_role(89, 100), Role::meter_mid);
  EXPECT_EQ(meter_role(90, 100), Role::meter_high);
  EXPECT_EQ(meter_role(5, 0), Role::meter_low);
}

}  // namespace
}  // namespace confab::ui
