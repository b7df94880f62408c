// SPDX-License-Identifier: MIT
#include "engine/text/pre_splitters.h"

#include <gmock/gmock.h>

#include <string>

namespace confab::engine {
namespace {

using testing::ElementsAre;
using Parts = std::vector<std::string_view>;

Parts by_threes(std::string_view piece) {
  Parts parts;
  split_digits_by_threes(piece, parts);
  return parts;
}

Parts before_threes(std::string_view piece) {
  Parts parts;
  split_before_digits_by_threes(piece, parts);
  return parts;
}

Parts last_spaces(std::string_view piece) {
  Parts parts;
  split_off_last_spaces(piece, parts);
  return parts;
}

TEST(PreSplittersTest, DigitsByThreesFromTheEnd) {
  EXPECT_THAT(by_threes("12"), ElementsAre("12"));
  EXPECT_THAT(by_threes("123"), ElementsAre("123"));
  EXPECT_THAT(by_threes("1234567"), ElementsAre("1", "234", "567"));
  // Only ASCII digits count.
  EXPECT_THAT(by_threes("1234٣"), ElementsAre("1", "234٣"));
  EXPECT_THAT(by_threes("٣12"), ElementsAre("٣12"));
  EXPECT_THAT(by_threes("٣123"), ElementsAre("٣", "123"));
}

TEST(PreSplittersTest, WhatStandsBeforeDigitsStaysWithTheFirstOfThem) {
  EXPECT_THAT(before_threes("abc"), ElementsAre("abc"));
  EXPECT_THAT(before_threes("abc1234567x"), ElementsAre("abc1", "234", "567", "x"));
  EXPECT_THAT(before_threes("  123 45"), ElementsAre("  123", " 45"));
  EXPECT_THAT(before_threes("٣٤٥٦"), ElementsAre("٣", "٤٥٦"));
}

TEST(PreSplittersTest, LastSpaces) {
  EXPECT_THAT(last_spaces("a b"), ElementsAre("a b"));
  EXPECT_THAT(last_spaces("a b \n\u3000"), ElementsAre("a b", " \n\u3000"));
  EXPECT_THAT(last_spaces(" \t"), ElementsAre(" \t"));
}

TEST(PreSplittersTest, ALongRunIsCutInLinearTime) {
  EXPECT_EQ(by_threes(std::string(3'000'000, '7')).size(), 1'000'000U);
  EXPECT_EQ(before_threes(std::string(3'000'000, '7')).size(), 1'000'000U);
  EXPECT_EQ(last_spaces(std::string(3'000'000, ' ') + "x").size(), 1U);
}

}  // namespace
}  // namespace confab::engine
