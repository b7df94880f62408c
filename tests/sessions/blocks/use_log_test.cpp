// SPDX-License-Identifier: MIT
#include "sessions/blocks/use_log.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>

#include "tests/sessions/blocks/format_document.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

BlockKey key(int i) {
  BlockKey out{};
  out[0] = static_cast<std::byte>(i);
  return out;
}

Use hit(std::int64_t origin, int leaf, std::uint64_t n_found, int time = 1) {
  return {.time = std::chrono::milliseconds(time),
          .origin = origin,
          .root = key(200),
          .leaf = key(leaf),
          .n_hits = 1,
          .tokens_wanted = n_found + 7,
          .tokens_found = n_found,
          .bytes_mapped = n_found * 10,
          .bytes_copied = n_found * 3};
}
Use miss(std::int64_t origin, std::uint64_t n_wanted) {
  return {.origin = origin, .root = key(200), .n_misses = 1, .tokens_wanted = n_wanted};
}
Use kept(std::int64_t origin, int leaf) {
  return {.origin = origin, .root = key(200), .leaf = key(leaf), .n_kept = 1, .bytes_copied = 5};
}

Use sum(const std::vector<Use>& uses) {
  return std::accumulate(uses.begin(), uses.end(), Use{}, [](Use a, const Use& b) {
    a.n_hits += b.n_hits;
    a.n_misses += b.n_misses;
    a.n_kept += b.n_kept;
    a.tokens_wanted += b.tokens_wanted;
    a.tokens_found += b.tokens_found;
    a.bytes_mapped += b.bytes_mapped;
    a.bytes_copied += b.bytes_copied;
    return a;
  });
}

class UseLogTest : public testing::Test {
 protected:
  std::vector<Use> append(const std::vector<Use>& uses) const {
    for (const Use& use : uses) log.append(use);
    return uses;
  }
  std::filesystem::path file() const { return dir / "uses"; }

  TempDir dir;
  UseLog log{dir.path()};
};

TEST_F(UseLogTest, WhatIsAppendedIsRead) {
  EXPECT_THAT(log.read(), IsEmpty());
  const std::vector<Use> uses = append({hit(-1, 1, 256, 1'700'000'000), miss(0, 9), kept(7, 2)});
  EXPECT_THAT(log.read(), ElementsAreArray(uses));
  EXPECT_THAT(UseLog(dir.path()).read(), ElementsAreArray(uses));
  EXPECT_EQ(mode_of(file()), 0600U);
  EXPECT_EQ(std::filesystem::file_size(file()), 3 * sizeof(UseRecord));
}

TEST_F(UseLogTest, TheFormatIsTheDocumentedOne) {
  log.append({.time = std::chrono::milliseconds(1'700'000'000'000),
              .origin = 7,
              .root = *key_from_hex("6170c12eb3722d6b241fb9084edebce6"),
              .leaf = *key_from_hex("42af8a9b2feb7832a91b555f92e13658"),
              .parent = *key_from_hex("6170c12eb3722d6b241fb9084edebce6"),
              .n_hits = 1,
              .tokens_wanted = 40,
              .tokens_found = 35,
              .bytes_mapped = 4096,
              .bytes_copied = 512});
  EXPECT_EQ(to_hex_dump(read_file(file())), documented_dump("The use log"));
}

TEST_F(UseLogTest, TornAndForeignBytesAreSkipped) {
  const std::vector<Use> uses = append({hit(1, 1, 10), hit(2, 2, 20), hit(3, 3, 30)});
  const std::string good = read_file(file());
  constexpr std::size_t n = sizeof(UseRecord);
  for (std::size_t cut = 0; cut < n; ++cut) {  // the second was torn, the third came after
    write_file(file(), good.substr(0, n + cut) + good.substr(2 * n));
    EXPECT_THAT(log.read(), ElementsAre(uses[0], uses[2])) << cut;
    write_file(file(), good.substr(cut));
    EXPECT_THAT(log.read(), cut == 0 ? testing::Matcher<std::vector<Use>>(ElementsAreArray(uses))
                                     : ElementsAre(uses[1], uses[2]))
        << cut;
  }
  for (std::size_t bit = 0; bit < 8 * n; ++bit) {
    std::string bad = good;
    bad[n + bit / 8] = static_cast<char>(bad[n + bit / 8] ^ (1 << bit % 8));
    write_file(file(), bad);
    EXPECT_THAT(log.read(), ElementsAre(uses[0], uses[2])) << "bit " << bit;
  }
  write_file(file(), "CFKVUSE1CFKVUSE1" + good + "CFKVUSE1");
  EXPECT_THAT(log.read(), ElementsAreArray(uses));
}

TEST_F(UseLogTest, NoiseIsNoRecord) {
  std::mt19937 rng(5);
  std::string noise(1 << 20, '\0');
  for (char& c : noise) c = "CFKVUSE1"[rng() % 8];
  write_file(file(), noise);
  EXPECT_THAT(log.read(), IsEmpty());
  log.append(miss(1, 2));
  EXPECT_THAT(log.read(), ElementsAre(miss(1, 2)));
}

TEST_F(UseLogTest, OnlyAFileOfItsOwnIsTouched) {
  const std::string target = dir.file("target", "");
  std::filesystem::create_symlink(target, file());
  log.append(miss(1, 2));
  EXPECT_FALSE(log.compact([](const BlockKey&, const BlockKey&) { return true; }));
  EXPECT_EQ(read_file(target), "");
  std::filesystem::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  log.append(miss(1, 2));  // does not wait for a reader
  EXPECT_THAT(log.read(), IsEmpty());
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  log.append(miss(1, 2));
  EXPECT_THAT(log.read(), IsEmpty());
  UseLog(dir / "none").append(miss(1, 2));
  EXPECT_FALSE(std::filesystem::exists(dir / "none"));
}

TEST_F(UseLogTest, CompactingAddsUpWhatBelongsTogether) {
  const auto uses = append({hit(1, 1, 10, 5), hit(1, 1, 20, 9), hit(2, 1, 30), kept(1, 1),
                            miss(1, 4), hit(1, 2, 40), hit(1, 3, 50, 8), miss(1, 6), kept(0, 3)});
  const auto exists = [](const BlockKey& root, const BlockKey& leaf) {
    EXPECT_EQ(root, key(200));
    return leaf != key(3);
  };
  EXPECT_TRUE(log.compact(exists));
  const auto left = log.read();
  EXPECT_EQ(left.size(), 5U);
  EXPECT_EQ(sum(left), sum(uses));
  const Use one{.time = std::chrono::milliseconds(9),
                .origin = 1,
                .root = key(200),
                .leaf = key(1),
                .n_hits = 2,
                .n_kept = 1,
                .tokens_wanted = 44,
                .tokens_found = 30,
                .bytes_mapped = 300,
                .bytes_copied = 95};
  EXPECT_THAT(left, testing::Contains(one));
  EXPECT_TRUE(log.compact(exists));
  EXPECT_THAT(log.read(), ElementsAreArray(left)) << "once is enough";
  EXPECT_EQ(mode_of(file()), 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST_F(UseLogTest, TheParentStandsInForALeafThatIsGone) {
  Use tail = hit(1, 5, 10);
  tail.parent = key(4);
  Use orphan = hit(1, 6, 20);
  orphan.parent = key(3);
  append({tail, hit(1, 4, 30), orphan});
  EXPECT_TRUE(log.compact([](const BlockKey&, const BlockKey& leaf) { return leaf == key(4); }));
  const auto left = log.read();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].leaf, BlockKey{});
  EXPECT_EQ(left[0].tokens_found, 20U);
  EXPECT_EQ(left[1].leaf, key(4));
  EXPECT_EQ(left[1].root, key(200));
  EXPECT_EQ(left[1].tokens_found, 40U);
}

TEST_F(UseLogTest, WithoutALogThereIsNothingToCompact) {
  EXPECT_FALSE(log.is_large());
  EXPECT_TRUE(log.compact([](const BlockKey&, const BlockKey&) { return true; }));
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(UseLogTest, AForgottenConversationLeavesOnlySums) {
  const auto uses = append({hit(1, 1, 10), kept(1, 2), hit(2, 1, 30), miss(1, 4)});
  EXPECT_TRUE(log.forget(1));
  const auto left = log.read();
  EXPECT_EQ(sum(left), sum(uses));
  for (const Use& use : left) EXPECT_TRUE(use.origin == 2 || use.leaf == BlockKey{});
  EXPECT_THAT(left, testing::Contains(hit(2, 1, 30)));
  EXPECT_EQ(left.size(), 2U);
}

TEST_F(UseLogTest, ALongLogIsLarge) {
  write_file(file(), std::string(UseLog::kLargeBytes, 'x'));
  EXPECT_FALSE(log.is_large());
  log.append(miss(1, 1));
  EXPECT_TRUE(log.is_large());
  EXPECT_TRUE(log.compact([](const BlockKey&, const BlockKey&) { return true; }));
  EXPECT_FALSE(log.is_large());
  EXPECT_EQ(sum(log.read()), sum({miss(1, 1)}));
}

TEST_F(UseLogTest, ProgramsDoNotDisturbEachOther) {
  constexpr int kEach = 500;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork_child([&] {
      for (int n = 0; n < kEach; ++n) log.append(hit(i, i + 1, 10, n));
      return true;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  const auto uses = log.read();
  EXPECT_EQ(uses.size(), 4U * kEach);
  EXPECT_EQ(sum(uses).tokens_found, 4U * kEach * 10);
}

TEST_F(UseLogTest, WhatIsAppendedDuringACompactionIsKept) {
  append({hit(1, 1, 10), hit(1, 2, 20)});
  bool first = true;
  EXPECT_TRUE(log.compact([&](const BlockKey&, const BlockKey&) {
    if (std::exchange(first, false)) UseLog(dir.path()).append(hit(1, 1, 30));
    return true;
  }));
  EXPECT_EQ(sum(log.read()).tokens_found, 60U);
}

}  // namespace
}  // namespace confab::sessions
