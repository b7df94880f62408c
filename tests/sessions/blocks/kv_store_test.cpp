// SPDX-License-Identifier: MIT
#include "sessions/blocks/kv_store.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/resource.h>

#include <thread>

#include "sessions/error.h"
#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::sessions {
namespace {

using KvStoreTest = KvFixture;

Ids operator+(Ids a, const Ids& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Ids first(const Ids& tokens, int n) {
  return {tokens.begin(), tokens.begin() + n};
}

TEST_F(KvStoreTest, WhatWasKeptIsFoundAlsoByTheNextRun) {
  const Ids tokens = ids(3 * kTestBlock + 40);
  EXPECT_EQ(n_found(tokens), 0);
  keep(tokens);
  EXPECT_EQ(n_found(tokens), 3 * kTestBlock + 40);
  open();
  EXPECT_EQ(n_found(tokens), 3 * kTestBlock + 40);
  EXPECT_EQ(n_found(first(tokens, 2 * kTestBlock), tokens), 2 * kTestBlock);
  EXPECT_EQ(n_found(tokens + ids(500, 9000), tokens), 3 * kTestBlock + 40);
  const KvStoreStats stats = store->stats();
  EXPECT_EQ(stats.blocks_found, 4u + 2 + 4);
  EXPECT_EQ(stats.blocks_damaged, 0u);
}

TEST_F(KvStoreTest, NothingIsFoundForOtherFingerprintsOrBlockSizes) {
  const Ids tokens = ids(2 * kTestBlock);
  keep(tokens);
  EXPECT_EQ(n_found(tokens, tokens, "fp2"), 0);
  EXPECT_EQ(n_found(tokens, tokens, ""), 0);
  auto other = options();
  other.block_tokens = kTestBlock / 2;
  EXPECT_TRUE(KvStore(other).find("fp", tokens).empty());
  EXPECT_EQ(n_found(tokens), 2 * kTestBlock);
}

TEST_F(KvStoreTest, AnEditedPromptIsFoundUpToTheTokenBeforeTheEdit) {
  const Ids tokens = ids(4 * kTestBlock);
  keep(tokens);
  for (const int at : {0, 31, 32, 63, 64, 95, 96, 97, 128, 200, 255}) {
    Ids edited = tokens;
    edited[static_cast<std::size_t>(at)] = 77777;
    const int whole = at / kTestBlock * kTestBlock;
    const int want = at - whole >= KvStore::kMinPartialTokens ? at : whole;
    EXPECT_EQ(n_found(edited, tokens), want) << "edited at " << at;
    EXPECT_EQ(n_found(first(tokens, at), tokens), want) << "cut at " << at;
  }
}

TEST_F(KvStoreTest, TheLongestOfSeveralBranchesIsTaken) {
  const Ids start = ids(kTestBlock);
  const Ids a = start + ids(40, 1000) + ids(20, 5000);
  const Ids b = start + ids(50, 1000) + ids(14, 6000);
  const Ids c = start + ids(35, 1000);
  keep(a);
  keep(b);
  keep(c);
  EXPECT_EQ(n_found(start + ids(64, 1000), b), kTestBlock + 50);
  EXPECT_EQ(n_found(start + ids(40, 1000) + ids(9, 5000), a), kTestBlock + 49);
  EXPECT_EQ(n_found(start + ids(31, 1000), a), kTestBlock);
}

TEST_F(KvStoreTest, ALongerTailReplacesTheOnesItExtends) {
  const Ids tokens = ids(kTestBlock) + ids(kTestBlock, 1000);
  const Ids other = ids(kTestBlock) + ids(36, 1000) + ids(9, 3000);
  keep(first(tokens, kTestBlock + 35));
  keep(first(tokens, kTestBlock + 37));
  EXPECT_EQ(files().size(), 2u);
  keep(other);
  EXPECT_EQ(files().size(), 3u);
  keep(tokens);  // a full block replaces the tail, not the other branch
  EXPECT_EQ(files().size(), 3u);
  EXPECT_EQ(n_found(tokens), 2 * kTestBlock);
  EXPECT_EQ(n_found(other), kTestBlock + 45);
}

TEST_F(KvStoreTest, ABlockThatIsThereIsNotWrittenAgain) {
  const Ids tokens = ids(kTestBlock);
  keep(tokens);
  const auto before = std::filesystem::last_write_time(files()[0]) - std::chrono::hours(5);
  std::filesystem::last_write_time(files()[0], before);
  keep(tokens);
  EXPECT_EQ(store->stats().blocks_written, 1u);
  EXPECT_GT(std::filesystem::last_write_time(files()[0]), before);  // but counts as used
}

TEST_F(KvStoreTest, ABlockWithoutTheOneBeforeItIsNotWritten) {
  const Ids tokens = ids(2 * kTestBlock);
  keep_last(tokens, payload_of(tokens));
  flush();
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(store->stats().blocks_dropped, 1u);
}

TEST_F(KvStoreTest, WrittenBlocksComeBackToBeMapped) {
  const Ids tokens = ids(3 * kTestBlock + 40);
  keep(tokens);
  const auto written = store->take_written();
  ASSERT_EQ(written.size(), KvBlock::can_move() ? 3u : 0u);
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(written[i].lender, nullptr);
    EXPECT_TRUE(std::ranges::equal(written[i].block.payload(), held[i]));
  }
  EXPECT_TRUE(store->take_written().empty());
  keep(tokens);  // known already: another program may have been first
  EXPECT_EQ(store->take_written().size(), written.size());
}

// The lender is held as long as somebody reads, and given back with the block.
TEST_F(KvStoreTest, ALenderIsHeldUntilItsBlockIsWritten) {
  const Ids tokens = ids(kTestBlock);
  const auto bytes = std::make_shared<const std::vector<std::byte>>(payload_of(tokens));
  store->keep_block("fp", tokens, {*bytes, segments_of(bytes->size())}, bytes);
  EXPECT_GE(bytes.use_count(), 2);
  flush();
  auto written = store->take_written();
  if (KvBlock::can_move()) {
    ASSERT_EQ(written.size(), 1U);
    EXPECT_EQ(written[0].lender, bytes);
  }
  written.clear();
  EXPECT_EQ(bytes.use_count(), 1);
  EXPECT_FALSE(store->release()) << "nothing is held";
}

TEST_F(KvStoreTest, WhatHasBeenReleasedIsNeitherReadNorGivenBack) {
  for (int round = 0; round < 20; ++round) {
    const Ids tokens = ids(6 * kTestBlock, 1000 * round);
    for (int n = kTestBlock; n <= 6 * kTestBlock; n += kTestBlock) {
      keep_last(first(tokens, n), payload_of(first(tokens, n)));
    }
    store->release();
    for (std::vector<std::byte>& bytes : held)
      std::ranges::fill(bytes, std::byte{0});  // the memory has another use now
    flush();
    EXPECT_TRUE(store->take_written().empty());
    n_found_in(store->find("fp", tokens), tokens);  // and what there is is right
    held.clear();
  }
}

TEST_F(KvStoreTest, DiscardedTokensAreForgottenWithTheTailsBesideThem) {
  const Ids start = ids(kTestBlock);
  const Ids tokens = start + ids(kTestBlock, 1000) + ids(40, 2000);
  const Ids other = start + ids(kTestBlock, 3000);
  keep(tokens);
  keep(other);
  store->discard("fp", start + ids(kTestBlock, 1000));
  EXPECT_EQ(n_found(tokens), 0);
  EXPECT_EQ(n_found(other), 0);  // its beginning was of no use
  keep(other);
  EXPECT_EQ(n_found(other), 2 * kTestBlock);
}

TEST_F(KvStoreTest, FilesAreReadOnlyAndForTheOwnerOnly) {
  keep(ids(kTestBlock + 33));
  ASSERT_EQ(files().size(), 2u);
  for (const auto& file : files()) EXPECT_EQ(mode_of(file), 0400u);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir / "kv")) {
    EXPECT_EQ(mode_of(entry.path()) & 0077u, 0u) << entry.path();
  }
  EXPECT_EQ(mode_of(dir / "kv"), 0700u);
  EXPECT_EQ(mode_of(files()[0].parent_path()), 0700u);
  EXPECT_EQ(
      read_file(dir / "kv/CACHEDIR.TAG").rfind("Signature: 8a477f597d28d172789f06886806bc55", 0),
      0u);
}

TEST_F(KvStoreTest, DeletingTheFolderCostsTimeOnly) {
  const Ids tokens = ids(2 * kTestBlock);
  keep(tokens);
  const auto mapped = store->find("fp", tokens);
  std::filesystem::remove_all(dir / "kv");
  EXPECT_EQ(n_found(tokens), 0);
  EXPECT_TRUE(std::ranges::equal(mapped[1].payload(), payload_of(tokens)));
  keep(tokens);
  EXPECT_EQ(n_found(tokens), 2 * kTestBlock);
  EXPECT_TRUE(std::filesystem::exists(dir / "kv/CACHEDIR.TAG"));
  EXPECT_EQ(store->stats().saving_off, "");
}

TEST_F(KvStoreTest, TheBudgetHoldsAndTheLongestUnusedLeaves) {
  max_bytes = 10 * (kTestPayload + 1024);
  open();
  const Ids used = ids(3 * kTestBlock, 100000);
  keep(used);
  for (int i = 0; i < 12; ++i) {
    keep(ids(2 * kTestBlock, 1000 * i));
    EXPECT_EQ(n_found(used), 3 * kTestBlock) << "after " << i;
    EXPECT_LE(files().size(), 10u);
  }
  EXPECT_EQ(n_found(ids(2 * kTestBlock, 11000)), 2 * kTestBlock);
  EXPECT_EQ(n_found(ids(2 * kTestBlock, 0)), 0);
  EXPECT_GT(store->stats().blocks_evicted, 0u);
}

TEST_F(KvStoreTest, APathLongerThanTheBudgetKeepsItsBeginning) {
  max_bytes = 4 * (kTestPayload + 1024);
  open();
  const Ids tokens = ids(8 * kTestBlock);
  keep(tokens);
  EXPECT_GE(n_found(tokens), 3 * kTestBlock);
  EXPECT_LE(files().size(), 4u);
}

TEST_F(KvStoreTest, DirectoriesOfOthersAreRefused) {
  std::filesystem::create_directory(dir / "shared");
  ::chmod((dir / "shared").c_str(), 0770);
  EXPECT_THROW(KvStore({.directory = dir / "shared"}), StoreError);
  write_file(dir / "file", "");
  EXPECT_THROW(KvStore({.directory = dir / "file/kv"}), StoreError);
  EXPECT_THROW(KvStore({.directory = "/proc/confab"}), StoreError);
}

TEST_F(KvStoreTest, TwoStoresOnOneFolderShareItsBlocks) {
  KvStore other(options());
  const Ids tokens = ids(4 * kTestBlock);
  std::vector<std::thread> threads;
  for (KvStore* s : {store.get(), &other}) {
    threads.emplace_back([&, s] {
      std::deque<std::vector<std::byte>> payloads;
      for (int n = kTestBlock; n <= 4 * kTestBlock; n += kTestBlock) {
        keep_one(*s, "fp", first(tokens, n), payload_of(first(tokens, n)), payloads);
        for (const KvBlock& block : s->find("fp", tokens)) EXPECT_EQ(block.n_tokens(), kTestBlock);
      }
      EXPECT_TRUE(s->flush(std::chrono::seconds(30)));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(files().size(), 4u);
  EXPECT_EQ(n_found(tokens), 4 * kTestBlock);
}

TEST_F(KvStoreTest, AnIdleStoreUsesNoProcessorTime) {
  keep(ids(kTestBlock));
  const auto switches = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
  };
  const auto before = switches();
  EXPECT_TRUE(store->flush(std::chrono::milliseconds(0)));
  ::poll(nullptr, 0, 100);
  EXPECT_LE(switches() - before, 5);  // this thread's own wait; a poller would make a hundred
}

}  // namespace
}  // namespace confab::sessions
