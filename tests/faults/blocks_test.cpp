// SPDX-License-Identifier: MIT
// Everything that can happen to the file of a block: each must be a miss that is removed, and cost
// nothing but time.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <functional>
#include <iostream>

#include "tests/app/program.h"
#include "tests/faults/oracle.h"
#include "tests/faults/scenario.h"
#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::faults {
namespace {

namespace fs = std::filesystem;
using sessions::Ids;

constexpr std::size_t kSegmentBytes = 4096;
constexpr std::size_t kSegments = 24;
constexpr std::size_t kPayloadBytes = kSegments * kSegmentBytes;

void put(const fs::path& path, const std::string& bytes) {
  fs::remove_all(path);
  write_file(path, bytes);
  ::chmod(path.c_str(), 0400);
}

// A chain of two blocks and a tail, of which one file is damaged at a time.
class BlocksTest : public sessions::KvFixture {
 protected:
  BlocksTest() {
    for (std::size_t n : {1, 2}) keep_prefix(n * sessions::kTestBlock);
    keep_prefix(tokens.size());
    flush();
    store->take_written();
    for (const fs::path& path : files()) good.emplace_back(path, read_file(path));
  }
  void keep_prefix(std::size_t n) {
    const Ids prefix(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<std::byte> payload = sessions::payload_of(prefix, kPayloadBytes);
    const std::vector<std::uint64_t> segments(kSegments, kSegmentBytes);
    if (n % sessions::kTestBlock != 0)
      return store->keep_tail("fp", prefix, std::move(payload), segments);
    held.push_back(std::move(payload));
    store->keep_block("fp", prefix, {held.back(), segments});
  }
  // How many tokens are found; what is found must be what was kept.
  int n_found() {
    int n = 0;
    const auto blocks = store->find("fp", tokens);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto end = std::min((i + 1) * sessions::kTestBlock, tokens.size());
      const Ids prefix(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(end));
      EXPECT_TRUE(
          std::ranges::equal(blocks[i].payload(), sessions::payload_of(prefix, kPayloadBytes)));
      n += blocks[i].n_tokens();
    }
    return n;
  }
  // The file has been damaged: fewer tokens are found, it is gone, and the good one is put back.
  void expect_miss(const fs::path& path, const std::string& bytes, const std::string& what) {
    const auto n_damaged = store->stats().blocks_damaged;
    EXPECT_LT(n_found(), static_cast<int>(tokens.size())) << what;
    EXPECT_FALSE(fs::exists(fs::symlink_status(path))) << what;
    EXPECT_EQ(store->stats().blocks_damaged, n_damaged + 1) << what;
    put(path, bytes);
    ++n_cases;
  }
  void TearDown() override {
    EXPECT_EQ(n_found(), static_cast<int>(tokens.size())) << "with all files good again";
    RecordProperty("damages", n_cases);
    std::cout << "damages: " << n_cases << ", all found and removed\n";
  }

  const Ids tokens = sessions::ids(2 * sessions::kTestBlock + 40);
  std::vector<std::pair<fs::path, std::string>> good;
  int n_cases = 0;
};

TEST_F(BlocksTest, EveryBitBesideThePayload) {
  ASSERT_EQ(good.size(), 3U);
  for (const auto& [path, bytes] : good) {
    ASSERT_GT(bytes.size(), kPayloadBytes);
    for (std::size_t bit = 8 * kPayloadBytes; bit < 8 * bytes.size(); ++bit) {
      std::string bad = bytes;
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
      put(path, bad);
      expect_miss(path, bytes, "bit " + std::to_string(bit));
      if (HasFailure()) return;
    }
  }
}

TEST_F(BlocksTest, OneBitInEverySegment) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 rng(seed);
  for (const auto& [path, bytes] : good) {
    for (std::size_t segment = 0; segment < kSegments; ++segment) {
      const std::size_t at = segment * kSegmentBytes + rng() % kSegmentBytes;
      std::string bad = bytes;
      bad[at] = static_cast<char>(bad[at] ^ (1 << rng() % 8));
      put(path, bad);
      expect_miss(path, bytes, "byte " + std::to_string(at));
    }
  }
}

TEST_F(BlocksTest, TruncatedOrLongerAnywhere) {
  for (const auto& [path, bytes] : good) {
    for (std::size_t n = 0; n < bytes.size(); n += n < kPayloadBytes ? 4096 : 1) {
      put(path, bytes.substr(0, n));
      expect_miss(path, bytes, std::to_string(n) + " bytes");
    }
    for (const std::size_t n : {1, 40, 4096}) {
      put(path, bytes + std::string(n, '\0'));
      expect_miss(path, bytes, std::to_string(n) + " bytes more");
    }
  }
}

TEST_F(BlocksTest, SwappedAndRenamed) {
  for (const auto& [path, bytes] : good)
    for (const auto& [other, other_bytes] : good) {
      if (path == other) continue;
      put(path, other_bytes);
      expect_miss(path, bytes, other.string() + " renamed");
    }
}

TEST_F(BlocksTest, SomethingElseInItsPlace) {
  const std::string elsewhere = dir.file("elsewhere/block", good[0].second);
  for (const auto& block : good) {
    const fs::path& path = block.first;
    const std::string& bytes = block.second;
    const auto expect_other = [&](const char* what, auto make) {
      fs::remove(path);
      make(path);
      expect_miss(path, bytes, what);
    };
    expect_other("text", [](const fs::path& p) { put(p, "not a block\n"); });
    expect_other("zeros",
                 [](const fs::path& p) { put(p, std::string(kPayloadBytes + 700, '\0')); });
    expect_other("empty", [](const fs::path& p) { put(p, ""); });
    expect_other("directory", [](const fs::path& p) { fs::create_directory(p); });
    expect_other("link", [&](const fs::path& p) { fs::create_symlink(elsewhere, p); });
    expect_other("loop", [](const fs::path& p) { fs::create_symlink(p, p); });
    expect_other("dangling", [](const fs::path& p) { fs::create_symlink("/nowhere", p); });
    expect_other("FIFO", [](const fs::path& p) { ASSERT_EQ(::mkfifo(p.c_str(), 0600), 0); });
    expect_other("socket",
                 [](const fs::path& p) { ASSERT_EQ(::mknod(p.c_str(), S_IFSOCK | 0600, 0), 0); });
    expect_other("writable by all", [&](const fs::path& p) {
      put(p, bytes);
      ::chmod(p.c_str(), 0666);
    });
    if (::geteuid() == 0) {
      expect_other("another owner", [&](const fs::path& p) {
        put(p, bytes);
        ASSERT_EQ(::chown(p.c_str(), 12345, 12345), 0);
      });
    }
  }
  EXPECT_EQ(read_file(elsewhere), good[0].second);
}

using Damage = void (*)(const fs::path&, const std::string&);

const std::vector<std::pair<const char*, Damage>> kDamages{
    {"missing", [](const fs::path& path, const std::string&) { fs::remove(path); }},
    {"empty", [](const fs::path& path, const std::string&) { put(path, ""); }},
    {"a bit of the payload",
     [](const fs::path& path, const std::string& bytes) {
       std::string bad = bytes;
       bad[bad.size() / 3] ^= 1;
       put(path, bad);
     }},
    {"a bit of the footer",
     [](const fs::path& path, const std::string& bytes) {
       std::string bad = bytes;
       bad[bad.size() - 12] ^= 1;
       put(path, bad);
     }},
    {"half of it", [](const fs::path& path,
                      const std::string& bytes) { put(path, bytes.substr(0, bytes.size() / 2)); }},
    {"directory",
     [](const fs::path& path, const std::string&) {
       fs::remove(path);
       fs::create_directory(path);
     }},
    {"FIFO",
     [](const fs::path& path, const std::string&) {
       fs::remove(path);
       EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
     }},
};

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

// Whatever happens to whichever file of the cache, the program says what it would say without it.
TEST(DamagedCacheTest, TheProgramAnswersAsItDoesWithoutACache) {
  const Scenario scenario;
  Oracle oracle(scenario);
  const std::size_t stage = scenario.stages().size() - 1;
  const Home original(scenario, stage);
  int n_cases = 0;
  for (const fs::path& file : files_below(cache_of(original.path()))) {
    const std::string bytes = read_file(file);
    if (bytes.size() < 100) continue;
    for (const auto& [what, damage] : kDamages) {
      SCOPED_TRACE(std::string(what) + " instead of " + file.filename().string());
      const Home home(scenario, stage);
      damage(home.path() / fs::relative(file, original.path()), bytes);
      oracle.check(home.path(), {});
      ++n_cases;
    }
  }
  EXPECT_GT(n_cases, 10);
  RecordProperty("damages", n_cases);
  std::cout << "damages: " << n_cases << '\n';
}

// Answers of a chat that goes on with the last conversation; `between` happens while it runs.
std::vector<std::string> answers_of(const Scenario& scenario, const TempDir& home,
                                    const std::function<void()>& between) {
  const std::vector<std::string> questions{"Is it raining?", "And by the sea?"};
  Words words = scenario.common_words();
  words.insert(words.end(), {"--plain", "--continue"});
  app::PipeProgram program(home, words);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (i > 0) between();
    const std::string title = "after-" + std::to_string(i);
    program.type(questions[i] + "\n");
    program.type("/rename " + title + "\n");
    EXPECT_TRUE(program.wait_for('"' + title + '"')) << program.output();
  }
  program.type("/exit\n");
  EXPECT_EQ(program.wait_for_exit(), 0) << program.output();
  std::vector<std::string> answers;
  const Conversations found = read_conversations(database_of(home.path()));
  for (const std::string& question : questions) {
    const sessions::Message* answer = found.answer_to(question);
    answers.push_back(answer != nullptr ? answer->content : "none");
  }
  return answers;
}

int truncate_all(const fs::path& cache) {
  int n = 0;
  for (const fs::path& file : files_below(cache)) {
    if (file.extension() != ".kvb") continue;
    ::chmod(file.c_str(), 0600);
    fs::resize_file(file, 0);
    ++n;
  }
  return n;
}

// The memory of a block is its file: what a truncation takes away is computed again.
TEST(DamagedCacheTest, FilesTruncatedUnderTheirMappingCostTimeOnly) {
  const Scenario scenario;
  const std::size_t stage = 2;
  const TempDir cold, warm;
  scenario.copy_home_before(stage, cold.path());
  scenario.copy_home_before(stage, warm.path());
  fs::remove_all(cache_of(cold.path()));
  int n_truncated = 0;
  const auto answers =
      answers_of(scenario, warm, [&] { n_truncated = truncate_all(cache_of(warm.path())); });
  EXPECT_GE(n_truncated, 2);
  EXPECT_EQ(answers, answers_of(scenario, cold, [] {}));
}

}  // namespace
}  // namespace confab::faults
