// SPDX-License-Identifier: MIT
#include "engine/text/symbol_merger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <random>
#include <utility>
#include <vector>

namespace confab::engine {
namespace {

using Key = std::pair<std::uint32_t, std::uint32_t>;
using Reference = std::priority_queue<Key, std::vector<Key>, std::greater<>>;

// Pushes and pops at random in a queue and in a priority queue of the standard library.
void expect_equals_reference(MergeQueue& queue, std::size_t word, std::mt19937& rng) {
  Reference reference;
  queue.reset(word);
  const auto push = [&](std::uint32_t rank, std::uint32_t left) {
    queue.push({rank, left});
    reference.push({rank, left});
  };
  const auto below = [&rng](std::uint32_t n) { return static_cast<std::uint32_t>(rng() % n); };
  const std::uint32_t n_ranks = 1 + below(3000);
  for (std::uint32_t left = 0; left < word; ++left) push(below(n_ranks), left);
  while (!reference.empty()) {
    const auto got = queue.pop();
    ASSERT_TRUE(got);
    ASSERT_EQ(Key(got->rank, got->left), reference.top());
    reference.pop();
    if (below(3) == 0) push(below(n_ranks), got->left - std::min(got->left, below(3)));
  }
  EXPECT_FALSE(queue.pop());
}

TEST(MergeQueueTest, LowestRankFirstThenLeftmostInShortAndLongWords) {
  std::mt19937 rng(20250611);
  MergeQueue queue;
  for (const std::size_t word : {0, 1, 7, 511, 512, 5000, 3, 2000}) {
    expect_equals_reference(queue, word, rng);
  }
}

TEST(MergeQueueTest, ResetForgets) {
  MergeQueue queue;
  for (const std::size_t word : {std::size_t{10}, std::size_t{10'000}}) {
    queue.reset(word);
    queue.push({1, 2});
    queue.reset(word);
    EXPECT_FALSE(queue.pop());
  }
}

}  // namespace
}  // namespace confab::engine
