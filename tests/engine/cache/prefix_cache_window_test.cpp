// SPDX-License-Identifier: MIT
// What is known of a prompt where layers have a window, so that rows far back are gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "engine/cache/prefix_cache.h"
#include "tests/engine/cache/hash_decoder.h"
#include "tests/engine/cache/memory_block_store.h"

namespace confab::engine {
namespace {

constexpr int kContext = 4096, kWindow = 200;
// Of three sequences.
constexpr int kPages = 3 * kContext / kBlockTokens + 2, kWhole = 3 * 6 + 2;

class WindowedPrefixCacheTest : public testing::Test {
 protected:
  // "Computes" what of `prompt` is not cached. Returns how much was.
  static int run(PrefixCache& cache, const std::vector<Token>& prompt) {
    CachedSequence& cached = cache.begin(prompt, {});
    const int n_cached = cached.sequence->n_tokens();
    go_on(cache, cached, prompt);
    HashDecoder::check(*cached.sequence, kWindow);
    cache.end(cached);
    return n_cached;
  }
  static std::vector<Token> edited(int n, std::size_t at) {
    std::vector<Token> prompt = tokens(n);
    prompt[at] = 5000;
    return prompt;
  }
  // What a later program finds in the store.
  int run_afresh(const std::vector<Token>& prompt) {
    HashDecoder later(kContext, kPages, 2, kWindow, kWhole);
    PrefixCache cache(later, &store, "model A");
    return run(cache, prompt);
  }

  MemoryBlockStore store;
  HashDecoder decoder{kContext, kPages, 2, kWindow, kWhole};
};

TEST_F(WindowedPrefixCacheTest, WithoutAStoreAChangeFarBackStartsAnew) {
  PrefixCache cache(decoder, nullptr);
  run(cache, tokens(3000));
  EXPECT_EQ(run(cache, edited(3000, 2100)), 2100) << "within the slack";
  EXPECT_EQ(run(cache, edited(3000, 500)), 0);
  EXPECT_EQ(run(cache, edited(3000, 2100)), 2999) << "it is still there";
}

TEST_F(WindowedPrefixCacheTest, TheStoreHasWhatMemoryHasNot) {
  for (const bool gives_back : {true, false}) {
    store = {};
    store.gives_back = gives_back;
    PrefixCache cache(decoder, &store, "model A");
    run(cache, tokens(3000));
    EXPECT_EQ(run(cache, edited(3000, 500)), 500) << gives_back;
    EXPECT_EQ(run(cache, edited(3000, 300)), 300) << gives_back;
    EXPECT_EQ(run_afresh(edited(3000, 2000)), 2000);
    EXPECT_EQ(run_afresh(tokens(3000)), 2999);
  }
}

// Rows that are gone are not given to the store.
TEST_F(WindowedPrefixCacheTest, AStoreThatComesTooLateGetsNoBlockWithGaps) {
  PrefixCache cache(decoder, &store);
  run(cache, tokens(3000));
  cache.set_fingerprint("model A");
  EXPECT_EQ(run(cache, tokens(3400)), 3000);
  EXPECT_TRUE(store.blocks.empty());
  EXPECT_EQ(run_afresh(tokens(3400)), 0);
  EXPECT_EQ(run_afresh(tokens(3400)), 3399) << "of a sequence that it had from the start";
}

// Of a pool with as many whole pages as one sequence needs, that which goes on takes those of
// others.
TEST_F(WindowedPrefixCacheTest, SequencesThatNobodyUsesGoForWholePagesToo) {
  HashDecoder small(kContext, kPages, 2, kWindow, 8);
  PrefixCache cache(small, nullptr);
  run(cache, tokens(1000));
  run(cache, tokens(1000, 1000));
  EXPECT_EQ(run(cache, tokens(4000, 2000)), 0);
  EXPECT_EQ(run(cache, tokens(4010, 2000)), 4000);
  EXPECT_EQ(run(cache, tokens(1000)), 0) << "its pages went";
}

TEST_F(WindowedPrefixCacheTest, WhateverIsAskedTheRowsAreThoseOfTheTokens) {
  std::mt19937 rng(3);
  for (const bool has_store : {false, true}) {
    PrefixCache cache(decoder, has_store ? &store : nullptr, "model A");
    store.gives_back = rng() % 2 == 0;
    std::vector<Token> prompt = tokens(100);
    int n_cached = 0;
    for (int step = 0; step < 60; ++step) {
      const std::size_t most = rng() % 3 == 0 ? prompt.size() : 40;
      prompt.resize(prompt.size() - std::min<std::size_t>(prompt.size(), rng() % most));
      const auto n = std::min<std::size_t>(1 + rng() % 900, kContext - prompt.size());
      for (std::size_t i = 0; i < n; ++i) prompt.push_back(static_cast<Token>(rng() % 5));
      n_cached += run(cache, prompt);
      if (prompt.size() == kContext) prompt.resize(10);
    }
    EXPECT_GT(n_cached, 10'000);
    cache.clear();
    EXPECT_EQ(decoder.pool().n_free(), kWhole);
  }
  EXPECT_FALSE(store.blocks.empty());
}

}  // namespace
}  // namespace confab::engine
