// SPDX-License-Identifier: MIT
#include "engine/api/events.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

using Seconds = std::chrono::duration<double>;

TEST(GenerateStatsTest, SpeedsCountOnlyTheTokensThatTheTimesWereSpentOn) {
  const GenerateStats stats{.n_prompt = 120,
                            .n_cached = 20,
                            .n_generated = 11,
                            .prefill = Seconds(2),
                            .decode = Seconds(5)};
  EXPECT_DOUBLE_EQ(stats.prefill_tps(), 50);
  EXPECT_DOUBLE_EQ(stats.decode_tps(), 2);
}

TEST(GenerateStatsTest, NothingToDivideIsZero) {
  EXPECT_EQ(GenerateStats{}.prefill_tps(), 0);
  EXPECT_EQ(GenerateStats{}.decode_tps(), 0);
  const GenerateStats one{.n_prompt = 1, .n_cached = 0, .n_generated = 1};
  EXPECT_EQ(one.prefill_tps(), 0);
  EXPECT_EQ(one.decode_tps(), 0);
}

TEST(EventsTest, AnAnswerAndAScoringHaveAnEnd) {
  EXPECT_TRUE(is_end(Scored{}));
  EXPECT_TRUE(is_end(Failed{}));
  EXPECT_TRUE(is_end(Finished{}));
  EXPECT_FALSE(is_end(PrefillProgress{}));
}

}  // namespace
}  // namespace confab::engine
