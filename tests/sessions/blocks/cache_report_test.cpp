// SPDX-License-Identifier: MIT
#include "sessions/blocks/cache_report.h"

#include <gmock/gmock.h>

#include "sessions/blocks/use_log.h"
#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::sessions {
namespace {

using testing::ElementsAre;

BlockKey leaf_of(const Ids& tokens, const std::string& fingerprint = "fp") {
  BlockKey key = root_key(fingerprint, kTestBlock);
  for (std::size_t at = 0; at < tokens.size(); at += kTestBlock) {
    const auto n = std::min<std::size_t>(kTestBlock, tokens.size() - at);
    key = child_key(key, std::span(tokens).subspan(at, n));
  }
  return key;
}

Ids join(Ids a, const Ids& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Three blocks that all begin with, then what each goes on with: one block and a tail of ten
// tokens, one block, and a tail of twenty.
class CacheReportTest : public KvFixture {
 protected:
  CacheReportTest() {
    for (const Ids& tokens : {a, b, c, alone}) keep(tokens);
    std::filesystem::remove(dir / "kv/uses");
    // Every file has been used at the same time, long before any use below.
    for (const auto& path : files())
      std::filesystem::last_write_time(
          path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1000));
  }
  void kept(std::int64_t origin, const Ids& tokens, int seconds = 0) const {
    log.append({.time = now + std::chrono::seconds(seconds),
                .origin = origin,
                .root = root,
                .leaf = leaf_of(tokens),
                .n_kept = 1});
  }
  void found(std::int64_t origin, const Ids& tokens, int seconds = 0) const {
    log.append({.time = now + std::chrono::seconds(seconds),
                .origin = origin,
                .root = root,
                .leaf = tokens.empty() ? BlockKey{} : leaf_of(tokens),
                .n_hits = tokens.empty() ? 0U : 1U,
                .n_misses = tokens.empty() ? 1U : 0U,
                .tokens_wanted = tokens.size() + 1,
                .tokens_found = tokens.size(),
                .bytes_mapped = 100,
                .bytes_copied = 10});
  }
  static std::uint64_t file_bytes(const std::vector<std::filesystem::path>& paths) {
    std::uint64_t sum = 0;
    for (const auto& path : paths) sum += std::filesystem::file_size(path);
    return sum;
  }

  const BlockKey root = root_key("fp", kTestBlock);
  const Ids start = ids(3 * kTestBlock);
  const Ids a = join(start, ids(kTestBlock + 10, 1000));
  const Ids b = join(start, ids(kTestBlock, 2000));
  const Ids c = join(start, ids(20, 3000));
  const Ids alone = ids(kTestBlock, 5000);
  const BlockDirectory directory{dir / "kv"};
  const UseLog log{dir / "kv"};
  const std::chrono::milliseconds now = use_time_now();
};

TEST_F(CacheReportTest, TotalsAreOfAllFilesAndUses) {
  found(1, a);
  found(1, {});
  found(0, start);
  found(2, ids(70, 9000));  // has no file any more
  const CacheTotals totals = cache_totals(directory);
  EXPECT_EQ(totals.n_files, 8U);
  EXPECT_EQ(totals.bytes, file_bytes(files()));
  EXPECT_EQ(totals.n_hits, 3U);
  EXPECT_EQ(totals.n_misses, 1U);
  EXPECT_EQ(totals.tokens_found, a.size() + start.size() + 70);
  EXPECT_EQ(totals.tokens_wanted, totals.tokens_found + 4);
  EXPECT_EQ(totals.bytes_mapped, 400U);
  EXPECT_EQ(totals.bytes_copied, 40U);
}

TEST_F(CacheReportTest, AConversationHasTheBlocksOnItsPaths) {
  kept(1, a, 1);
  kept(2, b, 2);
  found(2, start, 3);
  found(2, {}, 9);
  kept(3, ids(70, 9000), 4);  // its only block is gone
  const auto conversations = report_cache(directory).conversations;
  ASSERT_EQ(conversations.size(), 2U);
  EXPECT_EQ(conversations[0].origin, 2);
  EXPECT_EQ(conversations[0].blocks.n_blocks, 4U);
  EXPECT_EQ(conversations[0].blocks.tokens, b.size());
  EXPECT_EQ(conversations[0].uses.n_hits, 1U);
  EXPECT_EQ(conversations[0].uses.n_misses, 1U);
  EXPECT_EQ(conversations[0].uses.tokens_found, start.size());
  EXPECT_EQ(conversations[0].uses.last, now + std::chrono::seconds(9));
  EXPECT_EQ(conversations[1].origin, 1);
  EXPECT_EQ(conversations[1].blocks.n_blocks, 5U);
  EXPECT_EQ(conversations[1].blocks.tokens, a.size());
  const auto block =
      std::filesystem::file_size(directory.path_of({root, leaf_of(start), leaf_of(b), true}));
  EXPECT_EQ(conversations[0].blocks.bytes, 4 * block);
  EXPECT_EQ(conversations[0].own_bytes, block);
  EXPECT_EQ(conversations[1].own_bytes, conversations[1].blocks.bytes - 3 * block);
}

TEST_F(CacheReportTest, BlocksOfNoConversationAreGroupedByTheFirst) {
  kept(1, a);
  kept(0, b, 1);
  found(0, b, 2);
  found(0, b, 3);
  kept(0, alone, 5);
  found(0, start);  // of blocks that conversation 1 has too
  auto loose = report_cache(directory).loose;
  ASSERT_EQ(loose.size(), 2U);
  EXPECT_EQ(loose[0].first, leaf_of(alone));
  EXPECT_EQ(loose[0].root, root);
  EXPECT_EQ(loose[0].blocks.tokens, alone.size());
  EXPECT_EQ(loose[0].uses.n_hits, 0U);
  EXPECT_EQ(loose[1].first, leaf_of(ids(kTestBlock)));
  EXPECT_EQ(loose[1].blocks.n_blocks, 2U) << "the last of b, and of c, which nobody knows";
  EXPECT_EQ(loose[1].blocks.tokens, kTestBlock + 20U);
  EXPECT_EQ(loose[1].uses.n_hits, 2U);
  EXPECT_EQ(loose[1].uses.tokens_found, 2 * b.size());
  EXPECT_EQ(loose[1].uses.last, now + std::chrono::seconds(3));
}

TEST_F(CacheReportTest, ChainsForkWhereTheirTokensDo) {
  found(1, a, 1);
  found(2, b, 3);
  found(2, b, 4);
  found(0, start, 2);
  found(0, alone, 9);
  const auto chains = report_cache(directory).chains;
  ASSERT_EQ(chains.size(), 5U);
  EXPECT_EQ(chains[0].last, leaf_of(alone));
  EXPECT_EQ(chains[1].first, leaf_of(ids(kTestBlock)));
  EXPECT_EQ(chains[1].last, leaf_of(start));
  EXPECT_EQ(chains[2].last, leaf_of(b));
  EXPECT_EQ(chains[3].last, leaf_of(a));
  EXPECT_EQ(chains[4].last, leaf_of(c));
  std::vector<int> forks;
  std::vector<std::uint64_t> hits, tokens, blocks;
  for (const BlockChain& chain : chains) {
    forks.push_back(chain.n_forks);
    hits.push_back(chain.uses.n_hits);
    tokens.push_back(chain.blocks.tokens);
    blocks.push_back(chain.blocks.n_blocks);
  }
  EXPECT_THAT(forks, ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(hits, ElementsAre(1, 4, 2, 1, 0));
  EXPECT_THAT(tokens, ElementsAre(64, 192, 64, 74, 20));
  EXPECT_THAT(blocks, ElementsAre(1, 3, 1, 2, 1));
}

// A conversation that goes on replaces its tail, which was the deepest block found.
TEST_F(CacheReportTest, UsesOfAReplacedTailAreOfTheBlockBefore) {
  log.append({.time = now,
              .origin = 1,
              .root = root,
              .leaf = leaf_of(join(start, ids(33, 7000))),
              .parent = leaf_of(start),
              .n_hits = 1,
              .tokens_found = 225});
  const CacheReport report = report_cache(directory);
  ASSERT_EQ(report.conversations.size(), 1U);
  EXPECT_EQ(report.conversations[0].blocks.n_blocks, 3U);
  EXPECT_EQ(report.chains[0].last, leaf_of(start));
  EXPECT_EQ(report.chains[0].uses.n_hits, 1U);
}

TEST_F(CacheReportTest, ABlockThatCannotBeReadHasNoTokens) {
  const auto path = directory.path_of({root, root, leaf_of(alone), true});
  std::filesystem::remove(path);
  write_file(path, "junk");
  EXPECT_EQ(report_cache(directory).chains.size(), 5U);
  for (const BlockChain& chain : report_cache(directory).chains)
    EXPECT_EQ(chain.blocks.tokens == 0, chain.last == leaf_of(alone));
}

TEST_F(CacheReportTest, ForgettingLeavesWhatOthersUse) {
  kept(1, a);
  kept(1, c);
  kept(2, b);
  found(0, alone);
  const CacheTotals before = cache_totals(directory);
  EXPECT_THAT(cached_conversations(directory), ElementsAre(1, 2));
  const Removed removed = forget_conversation(directory, 1);
  EXPECT_EQ(removed.n_files, 3U);
  EXPECT_EQ(removed.bytes + cache_totals(directory).bytes, before.bytes);
  EXPECT_EQ(n_found(b), static_cast<int>(b.size()));
  EXPECT_EQ(n_found(alone), static_cast<int>(alone.size()));
  EXPECT_EQ(n_found(a, start), static_cast<int>(start.size()));
  EXPECT_THAT(cached_conversations(directory), ElementsAre(2));
  EXPECT_GE(cache_totals(directory).n_hits, before.n_hits);
}

// Blocks that were kept before the log was lost might be the conversation's.
TEST_F(CacheReportTest, ForgettingTakesWhatIsOfUnknownOrigin) {
  kept(2, b);
  EXPECT_EQ(forget_conversation(directory, 1).n_files, 4U);
  EXPECT_EQ(n_found(b), static_cast<int>(b.size()));
  EXPECT_EQ(files().size(), 4U);
}

TEST_F(CacheReportTest, AnEmptyCacheIsReported) {
  directory.clear();
  const CacheReport report = report_cache(directory);
  EXPECT_EQ(report.totals.n_files, 0U);
  EXPECT_TRUE(report.conversations.empty() && report.loose.empty() && report.chains.empty());
  EXPECT_EQ(forget_conversation(directory, 1).n_files, 0U);
  EXPECT_THAT(cached_conversations(directory), ElementsAre());
}

}  // namespace
}  // namespace confab::sessions
