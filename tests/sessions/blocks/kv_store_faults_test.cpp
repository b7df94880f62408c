// SPDX-License-Identifier: MIT
// The promise of sessions/blocks/kv_store.h, that whatever lies in its folder costs time only:
// every kind of damage is a miss, and what is found is what was kept.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::sessions {
namespace {

using KvStoreFaultsTest = KvFixture;

class OneBlock : public KvFixture {  // a full block whose file is damaged in turns
 protected:
  OneBlock() {
    keep(tokens);
    path = files().at(0);
    good = read_file(path);
  }
  // A miss, and the file is gone; then the good one is put back.
  void expect_miss(const std::string& what) {
    const auto damaged_before = store->stats().blocks_damaged;
    EXPECT_EQ(n_found(tokens), 0) << what;
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path))) << what;
    EXPECT_EQ(store->stats().blocks_damaged, damaged_before + 1) << what;
    put(good);
  }
  void put(const std::string& bytes) {
    std::filesystem::remove(path);
    write_file(path, bytes);
    ::chmod(path.c_str(), 0400);
  }

  const Ids tokens = ids(kTestBlock);
  std::filesystem::path path;
  std::string good;
};

TEST_F(OneBlock, FlippedBytesAreMisses) {
  std::mt19937 rng(29);
  std::vector<std::size_t> places;
  for (std::size_t i = kTestPayload; i < good.size(); ++i) places.push_back(i);
  for (std::size_t i = 0; i < kTestPayload; i += 64 * 1024) {
    places.push_back(std::min(i + rng() % (64 * 1024), kTestPayload - 1));
  }
  for (const std::size_t i : places) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (rng() % 8)));
    put(bad);
    expect_miss("byte " + std::to_string(i));
  }
  EXPECT_EQ(n_found(tokens), kTestBlock);
}

TEST_F(OneBlock, TruncatedFilesAreMisses) {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n < good.size(); n += 4096) sizes.push_back(n);
  for (std::size_t n = kTestPayload; n < good.size(); n += 7) sizes.push_back(n);
  for (const std::size_t n : sizes) {
    put(good.substr(0, n));
    expect_miss("size " + std::to_string(n));
  }
}

TEST_F(OneBlock, ThingsThatAreNoFilesAreMisses) {
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  expect_miss("directory");
  write_file(dir / "elsewhere", good);
  std::filesystem::remove(path);
  std::filesystem::create_symlink(dir / "elsewhere", path);
  expect_miss("symbolic link");
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_miss("FIFO");
  EXPECT_EQ(read_file(dir / "elsewhere"), good);
}

TEST_F(OneBlock, AFullDirectoryInItsPlaceIsAMissForEver) {
  std::filesystem::remove(path);
  std::filesystem::create_directories(path / "x");
  EXPECT_EQ(n_found(tokens), 0);
  keep(tokens);
  EXPECT_EQ(n_found(tokens), 0);
  EXPECT_TRUE(std::filesystem::exists(path / "x"));
}

TEST_F(OneBlock, OtherPeoplesFilesAreMisses) {
  ::chmod(path.c_str(), 0666);
  expect_miss("writable by all");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  expect_miss("another owner");
}

TEST_F(KvStoreFaultsTest, SwappedAndRenamedFilesAreMisses) {
  const Ids tokens = ids(4 * kTestBlock + 40);
  keep(tokens);
  const Ids other = ids(2 * kTestBlock, 5000);
  keep(other, "other fingerprint");
  const auto all = files();
  ASSERT_EQ(all.size(), 7u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (i == j) continue;
      const std::string a = read_file(all[i]);
      const std::string b = read_file(all[j]);
      ASSERT_EQ(::rename(all[j].c_str(), all[i].c_str()), 0);
      // Whatever is found is right (n_found compares), and not all of it is there.
      const int n = n_found(tokens) + n_found(other, other, "other fingerprint");
      EXPECT_LT(n, 6 * kTestBlock + 40) << i << " " << j;
      for (const auto& [path, bytes] : {std::pair(all[i], a), std::pair(all[j], b)}) {
        std::filesystem::remove(path);
        write_file(path, bytes);
      }
    }
  }
  EXPECT_EQ(n_found(tokens) + n_found(other, other, "other fingerprint"), 6 * kTestBlock + 40);
}

TEST_F(KvStoreFaultsTest, ADamagedBlockCutsTheChainThere) {
  const Ids tokens = ids(3 * kTestBlock);
  keep(tokens);
  for (const auto& path : files()) {
    std::string bytes = read_file(path);
    bytes[1000] ^= 4;
    std::filesystem::remove(path);
    write_file(path, bytes);
    EXPECT_LT(n_found(tokens), 3 * kTestBlock);
    keep(tokens);  // computed again
    EXPECT_EQ(n_found(tokens), 3 * kTestBlock);
  }
}

TEST_F(KvStoreFaultsTest, TheNextBestIsUsedWhenTheBestIsDamaged) {
  Ids a = ids(60);
  Ids b = ids(60);
  a[55] = 1000;
  b[45] = 2000;
  keep(a);
  keep(b);
  for (const auto& path : files()) {
    std::string bytes = read_file(path);
    // The tail of `a`, told by its id.
    const std::int32_t id = 1000;
    if (bytes.find(std::string(reinterpret_cast<const char*>(&id), 4), kTestPayload) ==
        std::string::npos) {
      continue;
    }
    bytes[5] ^= 1;
    std::filesystem::remove(path);
    write_file(path, bytes);
  }
  EXPECT_EQ(n_found(ids(60), b), 45);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(KvStoreFaultsTest, AFullDiskTurnsSavingOffAndFindingStaysOn) {
  store.reset();  // no thread while forking
  constexpr int kNotAllowed = 77;
  const int status = wait_for(fork_child([&] {
    if (!mount_small_file_system(dir.path(), 1536 * 1024)) ::_exit(kNotAllowed);
    open();
    const Ids tokens = ids(2 * kTestBlock);
    keep(tokens);
    write_file(dir / "ballast", std::string(2 * 1024 * 1024, 'b'));
    const Ids large = ids(kTestBlock, 9000);
    keep_last(large, payload_of(large, 2 * 1024 * 1024));
    flush();
    const bool told = store->stats().saving_off.find("No space left") != std::string::npos;
    keep_last(large, payload_of(large));
    const bool off = store->stats().blocks_dropped == 2;
    return told && off && store->find("fp", large).empty();
  }));
  if (status == kNotAllowed) GTEST_SKIP() << "mounting a file system is not allowed here";
  EXPECT_EQ(status, 0);
}

TEST_F(KvStoreFaultsTest, AFileSizeLimitTurnsSavingOff) {
  store.reset();
  const int status = wait_for(fork_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    open();
    keep(ids(kTestBlock));
    const rlimit limit{kTestPayload / 2, kTestPayload / 2};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    keep(ids(kTestBlock, 5000));
    return !store->stats().saving_off.empty() && n_found(ids(kTestBlock)) == kTestBlock;
  }));
  EXPECT_EQ(status, 0);
}

TEST_F(KvStoreFaultsTest, TooManyOpenFilesIsAMissThatDeletesNothing) {
  keep(ids(kTestBlock));
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit none{0, limit.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const auto blocks = store->find("fp", ids(kTestBlock));
  keep_last(ids(kTestBlock, 700), payload_of(ids(kTestBlock, 700)));
  EXPECT_TRUE(store->flush(std::chrono::seconds(30)));
  ::setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_TRUE(blocks.empty());
  EXPECT_EQ(n_found(ids(kTestBlock)), kTestBlock);
  EXPECT_EQ(store->stats().saving_off, "");
}

// A process that dies while it writes leaves whole blocks or none.
TEST_F(KvStoreFaultsTest, Kill9LeavesOnlyGoodBlocks) {
  store.reset();
  const auto seed = std::random_device{}();
  std::mt19937 rng(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int round = 0; round < 15; ++round) {
    const Ids tokens = ids(20 * kTestBlock, round * 10000);
    const pid_t child = fork_child([&] {
      open();
      keep(tokens);
      return true;
    });
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(rng() % 30000);
    while (std::chrono::steady_clock::now() < end) {
    }
    ::kill(child, SIGKILL);
    wait_for(child);
    KvStore reader(options());
    const auto blocks = reader.find("fp", tokens);
    EXPECT_EQ(reader.stats().blocks_damaged, 0u);
    EXPECT_EQ(n_found_in(blocks, tokens), static_cast<int>(blocks.size()) * kTestBlock);
  }
}

TEST_F(KvStoreFaultsTest, TheFolderMayVanishWhileWritingAndFinding) {
  const Ids tokens = ids(6 * kTestBlock);
  std::atomic<bool> done = false;
  std::thread vandal([&] {
    while (!done) {
      std::error_code ignored;
      std::filesystem::remove_all(dir / "kv", ignored);
    }
  });
  for (int round = 0; round < 20; ++round) {
    keep(tokens);
    n_found(tokens);
  }
  done = true;
  vandal.join();
  EXPECT_EQ(store->stats().blocks_damaged, 0u);
}

}  // namespace
}  // namespace confab::sessions
