// SPDX-License-Identifier: MIT
#include "engine/run/chunk_size.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

using Seconds = std::chrono::duration<double>;

// Runs a long prompt at a constant speed; returns the chunk size it settles on.
int settle(ChunkSize& chunk, double tokens_per_second) {
  for (int i = 0; i < 20; ++i) {
    chunk.record(chunk.n_tokens(), Seconds(chunk.n_tokens() / tokens_per_second));
  }
  return chunk.n_tokens();
}

TEST(ChunkSizeTest, StartsSmallAndGrowsToTheBatchOnAFastMachine) {
  ChunkSize chunk(512);
  EXPECT_EQ(chunk.n_tokens(), ChunkSize::kFirst);
  chunk.record(64, Seconds(0.001));
  EXPECT_EQ(chunk.n_tokens(), 128);
  EXPECT_EQ(settle(chunk, 100000), 512);
}

TEST(ChunkSizeTest, AChunkTakesAboutWhatItMay) {
  ChunkSize chunk(512);
  for (const double speed : {1000.0, 400.0, 3000.0}) {
    const double time = settle(chunk, speed) / speed;
    EXPECT_LE(time, 0.1) << speed;
    EXPECT_GE(time, 0.06) << speed;
  }
}

TEST(ChunkSizeTest, APartTakesAboutWhatItMayWhereRunsHaveSeveral) {
  ChunkSize chunk(512, 32);
  EXPECT_EQ(settle(chunk, 1000), 512);
  EXPECT_NEAR(settle(chunk, 50) / 50.0 / 32, 0.08, 0.01);
}

TEST(ChunkSizeTest, ShrinksAtOnceButNotBelowWhatReadingTheWeightsCosts) {
  ChunkSize chunk(512);
  chunk.record(64, Seconds(0.16));
  EXPECT_EQ(chunk.n_tokens(), 32);
  chunk.record(32, Seconds(10));
  EXPECT_EQ(chunk.n_tokens(), ChunkSize::kMin);
}

TEST(ChunkSizeTest, AShortLastChunkDoesNotShrinkTheNext) {
  ChunkSize chunk(512);
  const int before = settle(chunk, 3000);
  chunk.record(1, Seconds(0.02));
  EXPECT_EQ(chunk.n_tokens(), before);
}

TEST(ChunkSizeTest, NeverLeavesTheBatch) {
  for (const int n_batch : {1, 8, 16, 40}) {
    ChunkSize chunk(n_batch);
    EXPECT_EQ(chunk.n_tokens(), n_batch);
    chunk.record(n_batch, Seconds(0));
    EXPECT_EQ(chunk.n_tokens(), n_batch);
    chunk.record(n_batch, Seconds(100));
    EXPECT_EQ(chunk.n_tokens(), std::min(n_batch, ChunkSize::kMin));
  }
}

}  // namespace
}  // namespace confab::engine
