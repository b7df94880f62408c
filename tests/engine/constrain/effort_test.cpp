// SPDX-License-Identifier: MIT
#include "engine/constrain/effort.h"

#include <gtest/gtest.h>

#include "tests/engine/error_of.h"

namespace confab::engine {
namespace {

int nested(Effort& effort, int depth) {
  const Effort::Level level(effort);
  return depth == 0 ? 0 : 1 + nested(effort, depth - 1);
}

TEST(EffortTest, SoManyLevelsAndNoMore) {
  Effort effort;
  EXPECT_EQ(nested(effort, Effort::kMaxDepth - 1), Effort::kMaxDepth - 1);
  EXPECT_EQ(error_of([&] { nested(effort, Effort::kMaxDepth); }), "it is nested too deeply");
  EXPECT_EQ(nested(effort, 3), 3) << "the levels have been left";
}

TEST(EffortTest, SoMuchWorkUntilTheNextQuestion) {
  Effort effort;
  effort.spend(Effort::kMaxWork);
  EXPECT_EQ(error_of([&] { effort.spend(1); }), "it is too complex: simplify its patterns");
  effort.begin();
  effort.spend(1);
}

}  // namespace
}  // namespace confab::engine
