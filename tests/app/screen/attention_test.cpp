// SPDX-License-Identifier: MIT
#include "app/screen/answer_view.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

TEST(AttentionTest, IsWantedByALongAnswerThatNobodyLooksAt) {
  Attention attention;
  const Attention::Clock::time_point asked{std::chrono::hours(1)};
  attention.begin(asked);
  EXPECT_FALSE(attention.is_wanted(asked + Attention::kLong)) << "nobody said they looked away";
  attention.look(false);
  EXPECT_TRUE(attention.is_wanted(asked + Attention::kLong));
  EXPECT_FALSE(attention.is_wanted(asked + Attention::kLong / 2)) << "a short one";
  attention.look(true);
  EXPECT_FALSE(attention.is_wanted(asked + Attention::kLong));
}

}  // namespace
}  // namespace confab::app
