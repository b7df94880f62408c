// SPDX-License-Identifier: MIT
#include "app/commands/arguments.h"

#include <gtest/gtest.h>

#include "app/error.h"

namespace confab::app {
namespace {

TEST(ArgumentsTest, NumbersAreWholeAndLargeEnough) {
  EXPECT_EQ(number_of("0", 0, "/x N"), 0);
  EXPECT_EQ(number_of("12", 1, "/x N"), 12);
  for (const char* bad : {"", "x", "5x", "-1", "99999999999"})
    EXPECT_THROW(number_of(bad, 0, "/x N"), UserError) << bad;
  EXPECT_THROW(number_of("0", 1, "/x N"), UserError);
}

TEST(ArgumentsTest, WordsAreTakenOff) {
  std::string text = "temperature  0.5 x";
  EXPECT_EQ(take_word(text), "temperature");
  EXPECT_EQ(text, "0.5 x");
  take_word(text);
  EXPECT_EQ(take_word(text), "x");
  EXPECT_EQ(take_word(text), "");
  EXPECT_EQ(text, "");
}

TEST(ArgumentsTest, ACountMayBeLeftOut) {
  EXPECT_EQ(count_of("", 7, "/x [N]"), 7);
  EXPECT_EQ(count_of("1", 7, "/x [N]"), 1);
  EXPECT_THROW(count_of("0", 7, "/x [N]"), UserError);
}

}  // namespace
}  // namespace confab::app
