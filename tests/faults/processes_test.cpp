// SPDX-License-Identifier: MIT
// Two programs on one conversation and one cache, while the cache is being cleared out.
#include <gmock/gmock.h>
#include <unistd.h>

#include <deque>
#include <iostream>
#include <set>

#include "sessions/blocks/kv_store.h"
#include "sessions/conversations/store.h"
#include "tests/faults/oracle.h"
#include "tests/sessions/blocks/kv_fixture.h"
#include "tests/temp_dir.h"

namespace confab::faults {
namespace {

namespace fs = std::filesystem;
using sessions::Ids;

constexpr int kProcesses = 2;
#ifdef CONFAB_SANITIZED
constexpr int kAppends = 100;
#else
constexpr int kAppends = 500;
#endif
constexpr std::size_t kPayload = 40 * 1024;
constexpr std::uint64_t kBudget = 12 * kPayload;  // far less than what is kept

// What a process saw; written to a pipe at its end.
struct Report {
  int n_branched = 0;
  int n_blocks_found = 0;
  int n_wrong = 0;  // blocks that are not what had been kept
  std::uint64_t n_written = 0;
  std::uint64_t n_evicted = 0;
  std::uint64_t n_damaged = 0;
  sessions::MessageId last{};
};

sessions::KvStoreOptions cache_options(const TempDir& dir) {
  return {.directory = dir / "kv",
          .block_tokens = sessions::kTestBlock,
          .max_bytes = kBudget,
          .min_free_bytes = 0};
}

// Both processes keep and find the same chains: they race for the same files. What is kept here is
// written while the next message is appended.
void use_cache(sessions::KvStore& cache, int i, std::deque<std::vector<std::byte>>& held,
               Report& report) {
  const Ids tokens = sessions::ids(sessions::kTestBlock * (1 + i % 3), i / 6 % 20 * 10000);
  cache.flush(std::chrono::seconds(30));
  cache.take_written();
  cache.release();
  held.clear();
  for (std::size_t n = sessions::kTestBlock; n <= tokens.size(); n += sessions::kTestBlock) {
    const Ids prefix(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n));
    sessions::keep_one(cache, "fp", prefix, sessions::payload_of(prefix, kPayload), held);
  }
  const auto blocks = cache.find("fp", tokens);
  report.n_blocks_found += static_cast<int>(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto end = static_cast<std::ptrdiff_t>((b + 1) * sessions::kTestBlock);
    const auto want = sessions::payload_of(Ids(tokens.begin(), tokens.begin() + end), kPayload);
    report.n_wrong += std::ranges::equal(blocks[b].payload(), want) ? 0 : 1;
  }
}

std::string text_of(int process, int i) {
  return std::to_string(process) + "/" + std::to_string(i) + std::string(200, 't');
}

// In a child process.
bool append_all(const TempDir& dir, int process, sessions::Appended last, int report_fd) {
  sessions::Store store(dir / "confab.db");
  std::deque<std::vector<std::byte>> held;
  sessions::KvStore cache(cache_options(dir));
  Report report;
  for (int i = 0; i < kAppends; ++i) {
    last = store.append_message(last.conversation, last.message, {.content = text_of(process, i)});
    report.n_branched += last.branched ? 1 : 0;
    use_cache(cache, i, held, report);
  }
  cache.flush(std::chrono::seconds(30));
  const sessions::KvStoreStats stats = cache.stats();
  report.n_written = stats.blocks_written;
  report.n_evicted = stats.blocks_evicted;
  report.n_damaged = stats.blocks_damaged;
  report.last = last.message;
  return ::write(report_fd, &report, sizeof report) == sizeof report;
}

class ProcessesTest : public testing::Test {
 protected:
  ProcessesTest()
      : root(sessions::Store(dir / "confab.db")
                 .create_conversation(std::vector<sessions::NewMessage>{{.content = "root"}})) {}

  // Runs the processes to their end.
  std::vector<Report> run_all() {
    int fds[2];
    EXPECT_EQ(::pipe(fds), 0);
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process)
      children.push_back(
          sessions::fork_child([&] { return append_all(dir, process, root, fds[1]); }));
    for (const pid_t child : children) EXPECT_EQ(sessions::wait_for(child), 0);
    ::close(fds[1]);
    std::vector<Report> reports;
    for (Report report; ::read(fds[0], &report, sizeof report) == sizeof report;)
      reports.push_back(report);
    ::close(fds[0]);
    return reports;
  }

  const TempDir dir;
  const sessions::Appended root;
};

TEST_F(ProcessesTest, TwoAppendAtOnceAndLoseNothingWhileBlocksAreCollected) {
  const std::vector<Report> reports = run_all();
  ASSERT_EQ(reports.size(), std::size_t{kProcesses});
  sessions::Store store(dir / "confab.db");
  std::set<std::string> found;
  for (const Report& report : reports) {
    EXPECT_GT(report.n_branched, 0) << "a process was not told";
    EXPECT_EQ(report.n_wrong, 0);
    EXPECT_EQ(report.n_damaged, 0U);
    EXPECT_GT(report.n_blocks_found, 0);
    const std::vector<sessions::Message> branch = store.messages_to(report.last);
    EXPECT_EQ(branch.size(), kAppends + 1U);
    for (std::size_t i = 1; i < branch.size(); ++i) {
      EXPECT_EQ(branch[i].parent, branch[i - 1].id);
      EXPECT_EQ(branch[i].conversation, root.conversation);
      found.insert(branch[i].content);
    }
  }
  for (int process = 0; process < kProcesses; ++process)
    for (int i = 0; i < kAppends; ++i) EXPECT_EQ(found.count(text_of(process, i)), 1U);
  EXPECT_EQ(store.conversation(root.conversation)->n_messages, kProcesses * kAppends + 1);
  EXPECT_EQ(integrity_of(dir / "confab.db"), "ok");
  const auto n_evicted = reports[0].n_evicted + reports[1].n_evicted;
  EXPECT_GT(n_evicted, 20U);
  RecordProperty("appended", static_cast<int>(found.size()));
  RecordProperty("evicted", static_cast<int>(n_evicted));
  std::cout << "appended: " << found.size() << ", lost: " << kProcesses * kAppends - found.size()
            << ", blocks written: " << reports[0].n_written + reports[1].n_written
            << ", evicted: " << n_evicted
            << ", found: " << reports[0].n_blocks_found + reports[1].n_blocks_found << '\n';
}

TEST_F(ProcessesTest, WhatStaysOfTheCacheIsRightAndWithinItsBudget) {
  run_all();
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir / "kv"))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_LE(bytes, 2 * kBudget);
  std::deque<std::vector<std::byte>> held;
  sessions::KvStore cache(cache_options(dir));
  Report report;
  for (int i = 0; i < 120; ++i) use_cache(cache, i, held, report);
  EXPECT_GT(report.n_blocks_found, 0);
  EXPECT_EQ(report.n_wrong, 0);
  EXPECT_EQ(cache.stats().blocks_damaged, 0U);
}

}  // namespace
}  // namespace confab::faults
