// SPDX-License-Identifier: MIT
#include "sessions/blocks/facts.h"

#include <gtest/gtest.h>

#include "tests/sessions/processes.h"

namespace confab::sessions {
namespace {

namespace fs = std::filesystem;

class FactsTest : public testing::Test {
 protected:
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(dir / "facts")) out.push_back(entry.path());
    return out;
  }
  void replace(const fs::path& path, const std::string& bytes) const {
    fs::remove(path);
    write_file(path, bytes);
    ::chmod(path.c_str(), 0400);
  }

  TempDir dir;
};

TEST_F(FactsTest, AreRecalledByName) {
  EXPECT_EQ(recall(dir.path(), "a"), std::nullopt);
  remember(dir.path(), "a", "1");
  remember(dir.path(), "b", std::string("\0x\n", 3));
  remember(dir.path(), "", "");
  EXPECT_EQ(recall(dir.path(), "a"), "1");
  EXPECT_EQ(recall(dir.path(), "b"), std::string("\0x\n", 3));
  EXPECT_EQ(recall(dir.path(), ""), "");
  EXPECT_EQ(recall(dir.path(), "c"), std::nullopt);
  EXPECT_EQ(files().size(), 3U);
  EXPECT_EQ(mode_of(dir / "facts"), 0700U);
  EXPECT_EQ(mode_of(files()[0]), 0400U);
}

TEST_F(FactsTest, TheLastValueHolds) {
  remember(dir.path(), "a", "1");
  remember(dir.path(), "a", "another");
  EXPECT_EQ(recall(dir.path(), "a"), "another");
  EXPECT_EQ(files().size(), 1U);
}

TEST_F(FactsTest, AreLimited) {
  const std::string large(kMaxFactBytes - 1, 'x');
  remember(dir.path(), "a", large);
  EXPECT_EQ(recall(dir.path(), "a"), large);
  remember(dir.path(), "bb", large);
  EXPECT_EQ(recall(dir.path(), "bb"), std::nullopt);
}

TEST_F(FactsTest, EveryDamagedByteIsFound) {
  remember(dir.path(), "name", "value");
  const fs::path path = files()[0];
  const std::string good = read_file(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      replace(path, bad);
      EXPECT_EQ(recall(dir.path(), "name"), std::nullopt) << "byte " << i;
      EXPECT_FALSE(fs::exists(path)) << "byte " << i;
    }
    replace(path, good.substr(0, i));
    EXPECT_EQ(recall(dir.path(), "name"), std::nullopt) << "cut to " << i;
  }
  replace(path, good + "x");
  EXPECT_EQ(recall(dir.path(), "name"), std::nullopt);
  replace(path, std::string(1 << 20, 'x'));
  EXPECT_EQ(recall(dir.path(), "name"), std::nullopt);
  remember(dir.path(), "name", "value");
  EXPECT_EQ(recall(dir.path(), "name"), "value");
}

TEST_F(FactsTest, AFactUnderTheNameOfAnotherIsRefused) {
  remember(dir.path(), "a", "1");
  const fs::path a = files()[0];
  const std::string bytes = read_file(a);
  fs::remove(a);
  remember(dir.path(), "b", "2");
  replace(files()[0], bytes);
  EXPECT_EQ(recall(dir.path(), "b"), std::nullopt);
}

TEST_F(FactsTest, WhatIsNoFileOfOursIsRefused) {
  remember(dir.path(), "a", "1");
  const fs::path path = files()[0];
  ::chmod(path.c_str(), 0420);
  EXPECT_EQ(recall(dir.path(), "a"), std::nullopt);
  remember(dir.path(), "a", "1");
  fs::rename(path, dir / "elsewhere");
  fs::create_symlink(dir / "elsewhere", path);
  EXPECT_EQ(recall(dir.path(), "a"), std::nullopt);
  EXPECT_FALSE(fs::is_symlink(path));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(recall(dir.path(), "a"), std::nullopt);
  fs::create_directory(path);
  EXPECT_EQ(recall(dir.path(), "a"), std::nullopt);
  remember(dir.path(), "a", "1");  // a directory is in the way: nothing happens
}

TEST_F(FactsTest, WhereNothingCanBeWrittenNothingIsRemembered) {
  write_file(dir / "facts", "a file");
  remember(dir.path(), "a", "1");
  EXPECT_EQ(recall(dir.path(), "a"), std::nullopt);
}

TEST_F(FactsTest, AreForgottenWhenNobodyAsksForThem) {
  remember(dir.path(), "a", "1");
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(50);
  fs::last_write_time(files()[0], old);
  const fs::path a = files()[0];
  remember(dir.path(), "b", "2");
  EXPECT_EQ(forget_facts(dir.path(), std::chrono::hours(60)), 0);
  EXPECT_EQ(recall(dir.path(), "a"), "1");
  EXPECT_EQ(forget_facts(dir.path(), std::chrono::hours(40)), 0) << "it has just been used";
  fs::last_write_time(a, old);
  EXPECT_EQ(forget_facts(dir.path(), std::chrono::hours(40)), 1);
  EXPECT_EQ(recall(dir.path(), "a"), std::nullopt);
  EXPECT_EQ(recall(dir.path(), "b"), "2");
  EXPECT_EQ(forget_facts(dir / "none", std::chrono::hours(1)), 0);
}

}  // namespace
}  // namespace confab::sessions
