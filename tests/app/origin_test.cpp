// SPDX-License-Identifier: MIT
#include "app/origin.h"

#include <gtest/gtest.h>

#include <set>

namespace confab::app {
namespace {

TEST(OriginTest, EachHasWordsOfItsOwn) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(Origin::chat); ++i)
    EXPECT_TRUE(words.insert(origin_text(static_cast<Origin>(i))).second) << i;
  EXPECT_FALSE(words.contains(""));
}

}  // namespace
}  // namespace confab::app
