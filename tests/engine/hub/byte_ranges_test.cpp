// SPDX-License-Identifier: MIT
#include "engine/hub/byte_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace confab::engine {
namespace {

using List = std::vector<ByteRange>;

TEST(ByteRangesTest, JoinsWhatTouches) {
  ByteRanges ranges;
  ranges.add({10, 20});
  ranges.add({30, 40});
  EXPECT_EQ(ranges.list(), (List{{10, 20}, {30, 40}}));
  ranges.add({20, 30});
  EXPECT_EQ(ranges.list(), (List{{10, 40}}));
  ranges.add({5, 5});
  EXPECT_EQ(ranges.total(), 30U);
  EXPECT_EQ(ranges.end(), 40U);
  EXPECT_EQ(ranges.missing(50), (List{{0, 10}, {40, 50}}));
}

TEST(ByteRangesTest, IsWhatASetOfNumbersWouldBe) {
  constexpr std::uint64_t kSize = 60;
  std::mt19937 rng(20260902);
  for (int round = 0; round < 500; ++round) {
    ByteRanges a, b;
    std::vector<bool> in_a(kSize), in_b(kSize);
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t begin = rng() % kSize, end = begin + rng() % (kSize - begin + 1);
      (i % 2 == 0 ? a : b).add({begin, end});
      for (std::uint64_t at = begin; at < end; ++at) (i % 2 == 0 ? in_a : in_b)[at] = true;
    }
    std::vector<bool> left(kSize), missing(kSize);
    for (const ByteRange& range : a.without(b))
      for (std::uint64_t at = range.begin; at < range.end; ++at) left[at] = true;
    for (const ByteRange& range : a.missing(kSize))
      for (std::uint64_t at = range.begin; at < range.end; ++at) missing[at] = true;
    for (std::uint64_t at = 0; at < kSize; ++at) {
      EXPECT_EQ(left[at], in_a[at] && !in_b[at]);
      EXPECT_EQ(missing[at], !in_a[at]);
    }
    EXPECT_EQ(a.total(), static_cast<std::uint64_t>(std::ranges::count(in_a, true)));
  }
}

}  // namespace
}  // namespace confab::engine
