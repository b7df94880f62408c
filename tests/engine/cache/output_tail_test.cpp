// SPDX-License-Identifier: MIT
#include "engine/cache/output_tail.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

// Rows of two values each, which tell their positions.
std::vector<float> rows(int pos, int n) {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) values.insert(values.end(), {float(pos + i), -float(pos + i)});
  return values;
}

TEST(OutputTailTest, KnowsTheLastRowsOfTheLastRun) {
  OutputTail tail(2);
  EXPECT_EQ(tail.row(0), nullptr);
  EXPECT_EQ(tail.row(-1), nullptr);
  tail.set(0, rows(0, 100));
  EXPECT_EQ(tail.row(100 - OutputTail::kMaxRows - 1), nullptr);
  EXPECT_EQ(tail.row(100), nullptr);
  for (int pos = 100 - OutputTail::kMaxRows; pos < 100; ++pos) {
    ASSERT_NE(tail.row(pos), nullptr) << pos;
    EXPECT_EQ(tail.row(pos)[1], -float(pos));
  }
  tail.set(100, rows(100, 3));
  EXPECT_EQ(tail.row(99), nullptr);
  EXPECT_EQ(tail.row(102)[0], 102.0F);
}

TEST(OutputTailTest, ForgetsWhatIsCut) {
  OutputTail tail(2);
  tail.set(10, rows(10, 5));
  tail.truncate(13);
  EXPECT_EQ(tail.row(13), nullptr);
  EXPECT_EQ(tail.row(12)[0], 12.0F);
  tail.truncate(4);
  EXPECT_EQ(tail.row(10), nullptr);
  tail.truncate(20);
  EXPECT_EQ(tail.row(12), nullptr);
}

TEST(OutputTailTest, KeepsNothingWhereThereIsNoHead) {
  OutputTail tail(0);
  tail.set(0, {});
  EXPECT_EQ(tail.row(0), nullptr);
}

}  // namespace
}  // namespace confab::engine
