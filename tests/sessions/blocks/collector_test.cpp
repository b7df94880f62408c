// SPDX-License-Identifier: MIT
#include "sessions/blocks/collector.h"

#include <gmock/gmock.h>
#include <sys/file.h>

#include "sessions/blocks/block_lease.h"
#include "sessions/blocks/facts.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

const BlockKey kRoot = root_key("fp", 4);

BlockKey key(int id) {
  return child_key(kRoot, {{id}});
}
BlockName name(int parent, int id) {
  return {.root = kRoot, .parent = parent == 0 ? kRoot : key(parent), .key = key(id)};
}

class CollectorTest : public testing::Test {
 protected:
  // A block of 1000 bytes that was last used so many hours ago.
  void put(int parent, int id, int hours) {
    directory.make_folder_of(name(parent, id));
    const auto path = directory.path_of(name(parent, id));
    write_file(path, std::string(1000, 'x'));
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  std::vector<int> left() const {
    std::vector<int> ids;
    for (const StoredBlockFile& file : directory.scan()) {
      for (int id = 1; id < 20; ++id) {
        if (file.name.key == key(id)) ids.push_back(id);
      }
    }
    return ids;
  }
  Collector collector(std::uint64_t max_bytes) const {
    return {directory, {.max_bytes = max_bytes, .min_free_bytes = 0}};
  }

  TempDir dir;
  BlockDirectory directory{dir / "kv"};
};

using testing::UnorderedElementsAre;

TEST_F(CollectorTest, TheBudgetIsAShareOfTheFileSystemUnlessTold) {
  const Collector by_default(directory, {});
  EXPECT_GT(by_default.max_bytes(), 0U);
  EXPECT_LE(by_default.max_bytes(), std::uint64_t{8} << 30);
  EXPECT_GT(by_default.min_free_bytes(), 0U);
  const Collector told(directory, {.max_bytes = 7, .min_free_bytes = 9});
  EXPECT_EQ(told.max_bytes(), 7U);
  EXPECT_EQ(told.min_free_bytes(), 9U);
}

TEST_F(CollectorTest, EvictsABitMoreThanItMust) {
  for (int id = 1; id <= 5; ++id) put(0, id, id);
  EXPECT_EQ(collector(5000).evict(0)->n_evicted, 0U);
  const auto collected = collector(4000).evict(0);
  EXPECT_EQ(collected->n_evicted, 2U);
  EXPECT_EQ(collected->bytes_evicted, 2000U);
  EXPECT_EQ(collected->bytes_left, 3000U);
  EXPECT_THAT(left(), UnorderedElementsAre(1, 2, 3));
}

TEST_F(CollectorTest, LeavesAPathThatIsInUse) {
  put(0, 1, 9);
  put(1, 2, 8);
  put(0, 3, 1);
  const BlockLease lease(directory.path_of(name(1, 2)));
  EXPECT_EQ(collector(0).evict(0)->bytes_left, 2000U);
  EXPECT_THAT(left(), UnorderedElementsAre(1, 2));
}

TEST_F(CollectorTest, LeavesAPathThatAnotherProgramUses) {
  put(0, 1, 9);
  put(1, 2, 8);
  put(0, 3, 1);
  const BlockLease lease(directory.path_of(name(1, 2)));
  EXPECT_EQ(wait_for(fork_child([&] {
              const BlockDirectory same(dir / "kv");
              return Collector(same, {.max_bytes = 0, .min_free_bytes = 0}).evict(0)->n_evicted ==
                     1;
            })),
            0);
  EXPECT_THAT(left(), UnorderedElementsAre(1, 2));
}

// Else they would stay for ever: no program counts them.
TEST_F(CollectorTest, BlocksOfOlderVersionsAreEvictedFirst) {
  put(0, 1, 1);
  dir.file("kv/v1/block", "x");
  dir.file("kv/v999/block", "x");
  EXPECT_EQ(collector(5000).evict(0)->n_evicted, 0U);
  EXPECT_FALSE(std::filesystem::exists(dir / "kv/v1"));
  EXPECT_TRUE(std::filesystem::exists(dir / "kv/v999")) << "a newer program's";
  EXPECT_THAT(left(), UnorderedElementsAre(1));
}

TEST_F(CollectorTest, WaitsForNobody) {
  put(0, 1, 1);
  const int fd = ::open((dir / "kv/gc.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  EXPECT_EQ(collector(0).evict(0), std::nullopt);
  EXPECT_FALSE(collector(0).collect({}));
  ::close(fd);
  EXPECT_EQ(collector(0).evict(0)->n_evicted, 1U);
}

TEST_F(CollectorTest, DeletesNothingForWhatCannotFitAnyway) {
  put(0, 1, 1);
  EXPECT_EQ(collector(5000).evict(~std::uint64_t{0})->n_evicted, 0U);
}

TEST_F(CollectorTest, ClearsAwayWhatIsOfNoUse) {
  put(0, 1, 1);
  put(1, 2, 1);
  put(8, 9, 1);  // 8 is missing
  dir.file("kv/v0/ab/block", std::string(50, 'x'));
  dir.file("kv/v999/block", std::string(7, 'x'));
  remember(dir / "kv", "fact", "1");
  const UseLog log(dir / "kv");
  log.append({.root = kRoot, .leaf = key(2), .n_hits = 1});
  log.append({.root = kRoot, .leaf = key(2), .n_hits = 1});
  log.append({.origin = 4, .root = kRoot, .leaf = key(9), .n_hits = 1});
  const auto collected = collector(5000).collect({});
  ASSERT_TRUE(collected);
  EXPECT_EQ(collected->foreign.n_files, 2U);
  EXPECT_EQ(collected->foreign.bytes, 57U);
  EXPECT_EQ(collected->unreachable.n_files, 1U);
  EXPECT_EQ(collected->unreachable.bytes, 1000U);
  EXPECT_EQ(collected->evicted.n_evicted, 0U);
  EXPECT_EQ(collected->evicted.bytes_left, 2000U);
  EXPECT_EQ(collected->n_facts, 0);
  EXPECT_TRUE(collected->log_compacted);
  EXPECT_THAT(left(), UnorderedElementsAre(1, 2));
  EXPECT_EQ(recall(dir / "kv", "fact"), "1");
  EXPECT_EQ(log.read().size(), 2U);
  EXPECT_EQ(collector(1000).collect({})->evicted.n_evicted, 2U);
  EXPECT_THAT(left(), UnorderedElementsAre());
}

TEST_F(CollectorTest, ALargeLogIsCompactedOnTheWay) {
  put(0, 1, 1);
  write_file(dir / "kv/uses", std::string(UseLog::kLargeBytes + 1, 'x'));
  UseLog(dir / "kv").append({.root = kRoot, .leaf = key(1), .n_hits = 1});
  EXPECT_TRUE(collector(5000).evict(0));
  EXPECT_LT(std::filesystem::file_size(dir / "kv/uses"), 1000U);
  EXPECT_EQ(UseLog(dir / "kv").read().size(), 1U);
}

}  // namespace
}  // namespace confab::sessions
