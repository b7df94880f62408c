// SPDX-License-Identifier: MIT
#include "engine/run/reading_share.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

TEST(ReadingShareTest, BeginsWithAPartThatTellsItsSpeed) {
  const ReadingShare share;
  EXPECT_EQ(share.allowed(1000), ReadingShare::kFirst);
  EXPECT_EQ(share.allowed(3), 3);
  EXPECT_EQ(share.allowed(0), 0);
}

TEST(ReadingShareTest, ReadingIsAShareOfTheTime) {
  ReadingShare share(1.0 / 4);
  share.record(16, 16ms);
  EXPECT_EQ(share.allowed(1000), 0);
  share.passed(64ms);
  EXPECT_EQ(share.allowed(1000), 0);  // just paid for
  share.passed(200ms);
  EXPECT_EQ(share.allowed(1000), 50);
  EXPECT_EQ(share.allowed(20), 20);
}

TEST(ReadingShareTest, WaitsUntilItIsWorthIt) {
  ReadingShare share(1.0 / 4);
  share.record(16, 16ms);
  share.passed(64ms + 4ms * (ReadingShare::kFirst - 1));
  EXPECT_EQ(share.allowed(1000), 0);
  EXPECT_EQ(share.allowed(2), 2);  // all there is
  share.passed(4ms);
  EXPECT_EQ(share.allowed(1000), ReadingShare::kFirst);
}

TEST(ReadingShareTest, NeverMoreThanTheShare) {
  ReadingShare share;
  std::chrono::duration<double> spent = 0s, passed = 0s;
  for (int i = 0; i < 5000; ++i) {
    const int n = share.allowed(100000);
    const auto time = n * 2ms;
    share.record(n, time);
    share.passed(10ms + time);
    spent += time;
    passed += 10ms + time;
  }
  EXPECT_GT(spent / passed, 0.9 * ReadingShare::kShare);
  EXPECT_LT(spent / passed, 1.1 * ReadingShare::kShare);
}

TEST(ReadingShareTest, UnlimitedItAllowsEverything) {
  ReadingShare share(ReadingShare::kUnlimited);
  EXPECT_EQ(share.allowed(100000), 100000);
  share.record(100000, 10s);
  EXPECT_EQ(share.allowed(100000), 100000);
}

}  // namespace
}  // namespace confab::engine
