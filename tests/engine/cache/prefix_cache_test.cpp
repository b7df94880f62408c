// SPDX-License-Identifier: MIT
#include "engine/cache/prefix_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/engine/cache/hash_decoder.h"
#include "tests/engine/cache/memory_block_store.h"

namespace confab::engine {
namespace {

class PrefixCacheTest : public testing::Test {
 protected:
  static constexpr int kContext = 1024;

  explicit PrefixCacheTest(BlockStore* given = nullptr)
      : decoder(kContext, kContext / kBlockTokens + 2), cache(decoder, given, "model A") {}

  // "Computes" what of `prompt` is not cached. Returns how much was.
  int run(const std::vector<Token>& prompt, SequenceUse use = {}) {
    return run(cache, prompt, use);
  }
  static int run(PrefixCache& cache, const std::vector<Token>& prompt, SequenceUse use = {}) {
    CachedSequence& cached = cache.begin(prompt, use);
    const int n_cached = cached.sequence->n_tokens();
    EXPECT_LT(n_cached, static_cast<int>(prompt.size()));
    go_on(cache, cached, prompt);
    HashDecoder::check(*cached.sequence);
    cache.end(cached);
    return n_cached;
  }

  HashDecoder decoder;
  PrefixCache cache;
};

// Of a pass that ran more than turned out to be right.
TEST_F(PrefixCacheTest, ForgetsWhatWasRunAndIsNotRight) {
  CachedSequence& cached = cache.begin(tokens(kBlockTokens + 20), {});
  go_on(cache, cached, tokens(kBlockTokens + 20));
  EXPECT_EQ(cache.truncate(cached, kBlockTokens - 2), kBlockTokens - 2);
  go_on(cache, cached, tokens(kBlockTokens + 10));
  HashDecoder::check(*cached.sequence);
  cache.end(cached);
}

TEST_F(PrefixCacheTest, AnswersBesideEachOtherShareWhatTheyBeginWith) {
  CachedSequence& first = cache.begin(tokens(600), {});
  go_on(cache, first, tokens(600));
  CachedSequence& second = cache.begin(tokens(600), {});
  EXPECT_EQ(second.sequence->n_tokens(), 599);
  EXPECT_EQ(decoder.pool().n_free(), decoder.pool().n_pages() - 3);
  std::vector<Token> a = tokens(600), b = tokens(600);
  a.push_back(901);
  b.push_back(902);
  go_on(cache, first, a);
  go_on(cache, second, b);
  HashDecoder::check(*first.sequence);
  HashDecoder::check(*second.sequence);
  EXPECT_EQ(decoder.pool().n_free(), decoder.pool().n_pages() - 4) << "one page is not the same";
  cache.end(first);
  cache.end(second);
  a.push_back(1);
  b.push_back(1);
  EXPECT_EQ(run(a), 601);
  EXPECT_EQ(run(b), 601) << "both are kept";
}

TEST_F(PrefixCacheTest, PagesOfSequencesThatNobodyUsesGoWhenTheyAreNeeded) {
  run(tokens(500));
  run(tokens(500, 1000));
  EXPECT_EQ(decoder.pool().n_free(), 2);
  CachedSequence& third = cache.begin(tokens(1000, 2000), {});
  go_on(cache, third, tokens(1000, 2000));
  EXPECT_EQ(decoder.pool().n_free(), 0) << "one of the two was enough";
  CachedSequence& fourth = cache.begin(tokens(700, 3000), {});
  EXPECT_THROW(go_on(cache, fourth, tokens(700, 3000)), OutOfPages);
  cache.end(third);
  go_on(cache, fourth, tokens(700, 3000));
  HashDecoder::check(*fourth.sequence);
  cache.end(fourth);
}

TEST_F(PrefixCacheTest, WhoMayWaitGivesItsPagesUpLast) {
  CachedSequence& first = cache.begin(tokens(700), {});
  go_on(cache, first, tokens(700));
  run(tokens(500, 1000));
  int n_asked = 0;
  CachedSequence* given = &first;
  cache.on_shortage([&] {
    ++n_asked;
    if (given == nullptr) return false;
    cache.drop(*std::exchange(given, nullptr));
    return true;
  });
  CachedSequence& second = cache.begin(tokens(700, 2000), {});
  go_on(cache, second, tokens(700, 2000));
  EXPECT_EQ(n_asked, 0) << "the idle ones were enough";
  CachedSequence& third = cache.begin(tokens(700, 3000), {});
  go_on(cache, third, tokens(700, 3000));
  EXPECT_EQ(n_asked, 1);
  CachedSequence& fourth = cache.begin(tokens(300, 4000), {});
  EXPECT_THROW(go_on(cache, fourth, tokens(300, 4000)), OutOfPages);
  EXPECT_EQ(n_asked, 2);
  HashDecoder::check(*second.sequence);
  HashDecoder::check(*third.sequence);
}

TEST_F(PrefixCacheTest, TenThousandForksLeaveThePagesAsTheyWere) {
  run(tokens(700));
  const int n_free = decoder.pool().n_free();
  for (int i = 0; i < 10'000; ++i) {
    std::vector<Token> prompt = tokens(400 + i % 250);
    prompt.push_back(5000 + i);
    CachedSequence& cached = cache.begin(prompt, {});
    EXPECT_GE(cached.sequence->n_tokens(), 400);
    if (i % 100 == 0) go_on(cache, cached, prompt);
    cache.drop(cached);
  }
  EXPECT_GE(decoder.pool().n_free(), n_free);
  cache.clear();
  EXPECT_EQ(decoder.pool().n_free(), decoder.pool().n_pages());
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
  EXPECT_EQ(cache.last(), nullptr);
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
    HashDecoder later(kContext, kContext / kBlockTokens);
    PrefixCache later_cache(later, &store_, fingerprint);
    return run(later_cache, prompt);
  }
};

TEST_F(PrefixCacheStoreTest, KeepsFullBlocksAndATailThatIsWorthIt) {
  run(tokens(256 + 31));
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256}));
  run(tokens(256 + 32));
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256, 288}));
}

// A store that gives blocks back when it is told to.
class SlowStore : public MemoryBlockStore {
 public:
  std::vector<WrittenBlock> take_written() override {
    return std::exchange(ready, false) ? MemoryBlockStore::take_written()
                                       : std::vector<WrittenBlock>();
  }
  bool ready = false;
};

// Two models' blocks are of different sizes.
TEST(PrefixCachesTest, ThatShareAStoreGetTheirOwnBlocksBack) {
  SlowStore store;
  HashDecoder decoder(1024, 6), other_decoder(1024, 6, 3);
  PrefixCache cache(decoder, &store, "model A"), other(other_decoder, &store, "model B");
  CachedSequence& mine = cache.begin(tokens(600), {});
  go_on(cache, mine, tokens(600));
  CachedSequence& others = other.begin(tokens(300), {});
  go_on(other, others, tokens(300));
  EXPECT_EQ(store.written.size(), 3U);
  store.ready = true;
  other.end(others);
  EXPECT_TRUE(store.written.empty());
  for (const int i : {0, 1}) EXPECT_TRUE(mine.sequence->is_stored(i)) << i;
  EXPECT_TRUE(other.last()->is_stored(0));
  HashDecoder::check(*mine.sequence);
  HashDecoder::check(*other.last());
  cache.end(mine);
}

TEST_F(PrefixCacheStoreTest, OffersEachBlockOnce) {
  run(tokens(300));
  run(tokens(301));
  run(tokens(700));
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256, 300, 301, 512, 700}));
}

TEST_F(PrefixCacheStoreTest, KeepsAnotherContinuationToo) {
  run(tokens(600));
  std::vector<Token> other = tokens(600);
  other[300] = 5000;
  run(other);
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256, 512, 600, 512, 600}));
  EXPECT_EQ(run_afresh(tokens(600)), 599);
  EXPECT_EQ(run_afresh(other), 599);
}

TEST_F(PrefixCacheStoreTest, ALaterProgramRestoresBlocksAndTail) {
  run(tokens(700));
  EXPECT_EQ(run_afresh(tokens(800)), 700);
  EXPECT_EQ(run_afresh(tokens(700)), 699);
  EXPECT_EQ(run_afresh(tokens(400)), 399);
  std::vector<Token> edited = tokens(700);
  edited[300] = 5000;
  EXPECT_EQ(run_afresh(edited), 300);
}

TEST_F(PrefixCacheStoreTest, AnotherFingerprintFindsNothing) {
  run(tokens(700));
  EXPECT_EQ(run_afresh(tokens(700), "model B"), 0);
}

TEST_F(PrefixCacheStoreTest, TakesFromTheStoreOnlyWhatMemoryDoesNotHave) {
  run(tokens(700));
  std::vector<Token> other = tokens(700);
  other[10] = 5000;
  run(other);                        // memory holds 10 tokens of the first prompt
  EXPECT_EQ(run(tokens(720)), 700);  // the store has them all
  EXPECT_EQ(run(tokens(710)), 709);  // memory has
  EXPECT_EQ(run_afresh(tokens(720)), 719);
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
  store_.blocks[1].payload.pop_back();
  store_.blocks[1].file.reset();
  EXPECT_EQ(run_afresh(tokens(600)), 256);
}

TEST_F(PrefixCacheStoreTest, WrittenBlocksAreMappedAndNeverWrittenTo) {
  run(tokens(700));
  EXPECT_TRUE(store_.written.empty());  // taken back
#ifdef MREMAP_FIXED
  EXPECT_TRUE(cache.last()->is_stored(0));
  EXPECT_TRUE(cache.last()->is_stored(1));
#endif
  EXPECT_FALSE(cache.last()->is_stored(2));
  std::vector<Token> other = tokens(700);
  other[300] = 5000;
  run(other);
  EXPECT_EQ(run(tokens(700)), 699);
}

// What is being written is not written to; who needs the memory gets other pages, or waits.
TEST_F(PrefixCacheStoreTest, ABlockThatIsBeingKeptStaysAsItIs) {
  store_.gives_back = false;
  CachedSequence& cached = cache.begin(tokens(600), {});
  go_on(cache, cached, tokens(256));
  const BlockPayload lent = cached.sequence->block(0);
  const std::vector<std::byte> want(lent.bytes.begin(), lent.bytes.end());
  cache.truncate(cached, 100);
  std::vector<Token> other = tokens(600);
  other[100] = 5000;
  go_on(cache, cached, other);
  EXPECT_TRUE(std::ranges::equal(lent.bytes, want));
  HashDecoder::check(*cached.sequence);
  cache.end(cached);
}

TEST_F(PrefixCacheStoreTest, SecretsAreNotGivenAway) {
  run(tokens(100));
  run(tokens(600), {.secret = true});
  EXPECT_EQ(kept(), std::vector<std::size_t>{100});
  run(tokens(601));  // said after all
  EXPECT_EQ(kept(), (std::vector<std::size_t>{100, 256, 512, 601}));
}

TEST_F(PrefixCacheStoreTest, NothingIsAskedForBeforeTheFingerprintIsKnown) {
  cache.set_fingerprint("");
  run(tokens(600));
  EXPECT_TRUE(kept().empty());
  EXPECT_EQ(store_.n_finds, 0);
  cache.set_fingerprint("model A");
  run(tokens(610));
  EXPECT_EQ(kept(), (std::vector<std::size_t>{256, 512, 610}));
}

TEST_F(PrefixCacheStoreTest, SaysWhatALookUpWasGoodFor) {
  run(tokens(700));
  run(tokens(10, 77));
  cache.clear();
  store_.uses.clear();
  run(tokens(800), {.origin = 42});
  ASSERT_EQ(store_.uses.size(), 1U);
  EXPECT_EQ(store_.origin, 42);
  EXPECT_EQ(store_.uses[0].n_wanted, 799);
  EXPECT_EQ(store_.uses[0].n_found, 700);
#ifdef MREMAP_FIXED
  EXPECT_EQ(store_.uses[0].bytes_mapped, 2 * store_.blocks[0].payload.size());
  EXPECT_EQ(store_.uses[0].bytes_copied, store_.blocks[2].payload.size());
#endif
}

TEST_F(PrefixCacheStoreTest, WhatIsDiscardedIsGoneEverywhere) {
  run(tokens(700));
  CachedSequence& cached = cache.begin(tokens(701), {});
  cache.discard(cached);
  EXPECT_TRUE(store_.blocks.empty());
  EXPECT_EQ(run(tokens(700)), 0);
}

#ifdef MREMAP_FIXED
TEST_F(PrefixCacheStoreTest, TokensOfALostBlockAreToBeRunAgain) {
  const std::vector<Token> prompt = tokens(700);
  run(prompt);
  store_.blocks[1].file->truncate();
  CachedSequence& cached = cache.begin(tokens(701), {});
  CachedSequence& beside = cache.begin(tokens(300), {});
  const auto bytes = cached.sequence->block(1).bytes;
  const std::vector<std::byte> copy(bytes.begin(), bytes.end());  // reads it
  const SequenceRun run_one{cached.sequence.get(), std::span(prompt).first(1), LogitsOf::none};
  EXPECT_EQ(cache.run({&run_one, 1}, [](int) { return true; }), RunEnd::lost);
  EXPECT_EQ(cached.sequence->n_tokens(), 256);
  EXPECT_EQ(beside.sequence->n_tokens(), 256) << "it shares the block";
  store_.blocks.clear();
  go_on(cache, cached, prompt);
  HashDecoder::check(*cached.sequence);
  cache.end(cached);
  cache.end(beside);
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
    }
    if (prompt.size() > 900) prompt.resize(200);
  }
}

}  // namespace
}  // namespace confab::engine
