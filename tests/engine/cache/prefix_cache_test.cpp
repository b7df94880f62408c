// SPDX-License-Identifier: MIT
#include "engine/cache/prefix_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "engine/model/hparams.h"
#include "tests/engine/cache/memory_block_store.h"

namespace confab::engine {
namespace {

Hparams tiny_hparams() {
  Hparams hp;
  hp.layers.assign(2, {.n_head = 1, .n_head_kv = 1, .head_dim_k = 4, .head_dim_v = 4});
  return hp;
}

std::vector<Token> tokens(int n, Token first = 0) {
  std::vector<Token> ids(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) ids[static_cast<std::size_t>(i)] = first + i % 1000;
  return ids;
}

// A cache whose rows are told from the tokens up to theirs, as a model's are.
class PrefixCacheTest : public testing::Test {
 protected:
  static constexpr int kContext = 1024;

  explicit PrefixCacheTest(BlockStore* given = nullptr)
      : kv(tiny_hparams(), kContext, kernels::Dtype::F32, kernels::Dtype::F32),
        cache(kv, given, "model A") {}

  // "Computes" what of `prompt` is not cached. Returns how much was.
  int run(const std::vector<Token>& prompt) { return run(kv, cache, prompt); }

  static int run(KvCache& kv, PrefixCache& cache, const std::vector<Token>& prompt) {
    const int n_cached = cache.reuse(prompt);
    EXPECT_LT(n_cached, static_cast<int>(prompt.size()));
    for (std::size_t pos = static_cast<std::size_t>(n_cached); pos < prompt.size(); ++pos) {
      kv.make_room(1);
      for (int il = 0; il < 2; ++il) {
        const auto row = row_of(prompt, pos, il);
        std::memcpy(kv.key_row(il, 0, static_cast<int>(pos)), row.data(), sizeof row);
        std::memcpy(kv.value_row(il, 0, static_cast<int>(pos)), row.data(), sizeof row);
      }
      kv.commit(1);
      cache.append({&prompt[pos], 1});
    }
    check(kv, cache, prompt);
    return n_cached;
  }

  static std::array<float, 4> row_of(const std::vector<Token>& prompt, std::size_t pos, int il) {
    std::uint32_t hash = 1;
    for (std::size_t i = 0; i <= pos; ++i) hash = hash * 31 + static_cast<std::uint32_t>(prompt[i]);
    const auto number = static_cast<float>(hash % 65536);
    return {number, static_cast<float>(pos), static_cast<float>(il), 1};
  }

  static void check(KvCache& kv, const PrefixCache& cache, const std::vector<Token>& prompt) {
    EXPECT_EQ(std::vector<Token>(cache.tokens().begin(), cache.tokens().end()), prompt);
    ASSERT_EQ(kv.n_tokens(), static_cast<int>(prompt.size()));
    for (std::size_t pos = 0; pos < prompt.size(); ++pos) {
      const auto row = row_of(prompt, pos, 1);
      ASSERT_EQ(std::memcmp(kv.key_row(1, 0, static_cast<int>(pos)), row.data(), sizeof row), 0);
      ASSERT_EQ(std::memcmp(kv.value_row(1, 0, static_cast<int>(pos)), row.data(), sizeof row), 0);
    }
  }

  KvCache kv;
  PrefixCache cache;
};

// Of a pass that ran more than turned out to be right.
TEST_F(PrefixCacheTest, ForgetsWhatWasRunAndIsNotRight) {
  const std::vector<Token> prompt = tokens(kBlockTokens - 2);
  run(prompt);
  const std::vector<Token> pass = {501, 502, 503, 504, 505};
  for (const int n_right : {1, 3, 5}) {
    const std::size_t before = cache.tokens().size();
    kv.make_room(5);
    kv.commit(5);
    cache.append_first(n_right, pass);
    EXPECT_EQ(kv.n_tokens(), static_cast<int>(before) + n_right);
    ASSERT_EQ(cache.tokens().size(), before + static_cast<std::size_t>(n_right));
    EXPECT_EQ(cache.tokens().back(), pass[static_cast<std::size_t>(n_right - 1)]);
  }
  run(tokens(kBlockTokens, 40));  // and goes on as ever
}

TEST_F(PrefixCacheTest, KeepsTheLongestCommonPrefix) {
  std::vector<Token> prompt = tokens(100);
  EXPECT_EQ(run(prompt), 0);
  prompt.resize(150, 7);
  EXPECT_EQ(run(prompt), 100);
  prompt[40] = 9;
  EXPECT_EQ(run(prompt), 40);
  EXPECT_EQ(run(tokens(50, 500)), 0);
}

TEST_F(PrefixCacheTest, AlwaysLeavesATokenToRun) {
  const std::vector<Token> prompt = tokens(100);
  run(prompt);
  EXPECT_EQ(run(prompt), 99);
  EXPECT_EQ(run(tokens(60)), 59);
  EXPECT_EQ(run(tokens(1)), 0);
}

TEST_F(PrefixCacheTest, ForgetsEverythingWhenCleared) {
  run(tokens(100));
  cache.clear();
  EXPECT_EQ(kv.n_tokens(), 0);
  EXPECT_EQ(run(tokens(100)), 0);
}

// A base, so that it outlives the cache.
class HasStore {
 protected:
  MemoryBlockStore store_;
};

class PrefixCacheStoreTest : protected HasStore, public PrefixCacheTest {
 protected:
  PrefixCacheStoreTest() : PrefixCacheTest(&store_) {}

  // The sizes of what the store was given, in order.
  std::vector<std::size_t> kept() const {
    std::vector<std::size_t> sizes;
    for (const auto& block : store_.blocks) sizes.push_back(block.tokens.size());
    return sizes;
  }
  // What a later program finds in the store.
  int run_afresh(const std::vector<Token>& prompt, const std::string& fingerprint = "model A") {
    KvCache later(tiny_hparams(), kContext, kernels::Dtype::F32, kernels::Dtype::F32);
    PrefixCache later_cache(later, &store_, fingerprint);
    return run(later, later_cache, prompt);
  }
};

TEST_F(PrefixCacheStoreTest, KeepsFullBlocksAndATailThatIsWorthIt) {
  run(tokens(256 + 31));
  cache.keep();
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256}));
  run(tokens(256 + 32));
  cache.keep();
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256, 288}));
}

TEST_F(PrefixCacheStoreTest, OffersEachBlockOnce) {
  run(tokens(300));
  cache.keep();
  cache.keep();
  run(tokens(301));
  cache.keep();
  run(tokens(700));
  cache.keep();
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256, 300, 301, 512, 700}));
}

TEST_F(PrefixCacheStoreTest, WhatLosesItsMemoryWhileItIsKeptIsForgotten) {
  store_.gives_back = false;
  run(tokens(600));
  const std::vector<std::byte> payload(kv.block(1).begin(), kv.block(1).end());
  store_.written.push_back({1, std::make_unique<HoleBlock>(payload)});
  cache.keep();
  EXPECT_EQ(cache.tokens().size(), 256U);
  EXPECT_EQ(run(tokens(250)), 249);
  EXPECT_EQ(run(tokens(256)), 250);
}

TEST_F(PrefixCacheStoreTest, KeepsAnotherContinuationToo) {
  run(tokens(600));
  cache.keep();
  std::vector<Token> other = tokens(600);
  other[300] = 5000;
  run(other);
  cache.keep();
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256, 512, 600, 512, 600}));
  EXPECT_EQ(run_afresh(tokens(600)), 599);
  EXPECT_EQ(run_afresh(other), 599);
}

TEST_F(PrefixCacheStoreTest, ALaterProgramRestoresBlocksAndTail) {
  run(tokens(700));
  cache.keep();
  EXPECT_EQ(run_afresh(tokens(800)), 700);
  EXPECT_EQ(run_afresh(tokens(700)), 699);
  EXPECT_EQ(run_afresh(tokens(400)), 399);
  std::vector<Token> edited = tokens(700);
  edited[300] = 5000;
  EXPECT_EQ(run_afresh(edited), 300);
}

TEST_F(PrefixCacheStoreTest, AnotherFingerprintFindsNothing) {
  run(tokens(700));
  cache.keep();
  EXPECT_EQ(run_afresh(tokens(700), "model B"), 0);
}

TEST_F(PrefixCacheStoreTest, TakesFromTheStoreOnlyWhatMemoryDoesNotHave) {
  run(tokens(700));
  cache.keep();
  std::vector<Token> other = tokens(700);
  other[10] = 5000;
  run(other);                        // memory holds 10 tokens of the first prompt
  EXPECT_EQ(run(tokens(720)), 700);  // the store has them all
  EXPECT_EQ(run(tokens(710)), 709);  // memory has
  cache.keep();
  EXPECT_EQ(run_afresh(tokens(720)), 710);
}

TEST_F(PrefixCacheStoreTest, IsNotAskedWhereItCannotKnowMore) {
  run(tokens(100));
  EXPECT_EQ(store_.n_finds, 1);
  run(tokens(200));  // goes on
  run(tokens(180));  // a shorter one
  run(tokens(205));  // little is missing
  EXPECT_EQ(store_.n_finds, 1);
  run(tokens(600));  // much is missing
  EXPECT_EQ(store_.n_finds, 2);
  run(tokens(100, 77));  // another conversation
  EXPECT_EQ(store_.n_finds, 3);
}

TEST_F(PrefixCacheStoreTest, BlocksOfAnotherSizeAreMisses) {
  run(tokens(600));
  cache.keep();
  store_.blocks[1].payload.pop_back();
  store_.blocks[1].file.reset();
  EXPECT_EQ(run_afresh(tokens(600)), 256);
}

TEST_F(PrefixCacheStoreTest, WrittenBlocksAreMappedAndReleasedBeforeTheyAreWrittenTo) {
  run(tokens(700));
  cache.keep();
  EXPECT_TRUE(store_.written.empty());  // taken back
#ifdef MREMAP_FIXED
  EXPECT_TRUE(kv.is_mapped(0));
  EXPECT_TRUE(kv.is_mapped(1));
#endif
  EXPECT_FALSE(kv.is_mapped(2));
  EXPECT_EQ(store_.first_released, 1 << 30);
  std::vector<Token> other = tokens(700);
  other[300] = 5000;
  run(other);
  EXPECT_EQ(store_.first_released, 1);
}

TEST_F(PrefixCacheStoreTest, SecretsAreNotGivenAway) {
  run(tokens(100));
  cache.set_secret(true);
  run(tokens(600));
  cache.keep();
  EXPECT_TRUE(kept().empty());
  cache.set_secret(false);
  run(tokens(601));  // said after all
  cache.keep();
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256, 512, 601}));
}

TEST_F(PrefixCacheStoreTest, NothingIsAskedForBeforeTheFingerprintIsKnown) {
  cache.set_fingerprint("");
  run(tokens(600));
  cache.keep();
  EXPECT_TRUE(kept().empty());
  EXPECT_EQ(store_.n_finds, 0);
  cache.set_fingerprint("model A");
  run(tokens(610));
  cache.keep();
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256, 512, 610}));
}

TEST_F(PrefixCacheStoreTest, SaysWhatALookUpWasGoodFor) {
  run(tokens(700));
  cache.keep();
  run(tokens(10, 77));
  store_.uses.clear();
  cache.set_origin(42);
  run(tokens(800));
  ASSERT_EQ(store_.uses.size(), 1U);
  EXPECT_EQ(store_.origin, 42);
  EXPECT_EQ(store_.uses[0].n_wanted, 799);
  EXPECT_EQ(store_.uses[0].n_found, 700);
#ifdef MREMAP_FIXED
  EXPECT_EQ(store_.uses[0].bytes_mapped, 2 * kv.block_bytes());
  EXPECT_EQ(store_.uses[0].bytes_copied, kv.packed_rows(2, 188).size());
#endif
}

TEST_F(PrefixCacheStoreTest, WhatIsDiscardedIsGoneEverywhere) {
  run(tokens(700));
  cache.keep();
  cache.discard();
  EXPECT_EQ(kv.n_tokens(), 0);
  EXPECT_EQ(run_afresh(tokens(700)), 0);
}

#ifdef MREMAP_FIXED
TEST_F(PrefixCacheStoreTest, TokensOfALostBlockAreToBeRunAgain) {
  const std::vector<Token> prompt = tokens(700);
  run(prompt);
  EXPECT_FALSE(cache.drop_lost());
  store_.blocks[1].file->truncate();
  std::vector<std::byte> copy(kv.block(1).begin(), kv.block(1).end());  // reads it
  const auto again = cache.drop_lost();
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, std::vector<Token>(prompt.begin() + 256, prompt.end()));
  EXPECT_EQ(cache.tokens().size(), 256U);
  store_.blocks.clear();
  EXPECT_EQ(run(prompt), 256);
}
#endif

TEST_F(PrefixCacheStoreTest, RandomConversationsAlwaysFindTheirOwnRows) {
  std::mt19937 rng(20250611);
  std::vector<Token> prompt;
  for (int round = 0; round < 60; ++round) {
    if (rng() % 3 == 0) prompt.resize(prompt.size() - rng() % (prompt.size() + 1));
    const std::size_t room = 1023 - prompt.size();
    const std::size_t n = 1 + rng() % std::min<std::size_t>(room, 300);
    for (std::size_t i = 0; i < n; ++i) prompt.push_back(static_cast<Token>(rng() % 2));
    if (round % 5 == 4) {
      run_afresh(prompt);
    } else {
      run(prompt);
      cache.keep();
    }
    if (prompt.size() > 900) prompt.resize(200);
  }
}

}  // namespace
}  // namespace confab::engine
