// SPDX-License-Identifier: MIT
#include "app/chat/history.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

TEST(HistoryTest, KeepsWhatWasTypedInAPrivateFolder) {
  const TempDir dir;
  const auto file = dir.path() / "state" / "confab" / "history";
  History first(file, true);
  EXPECT_TRUE(first.load().empty());
  EXPECT_EQ(first.add("one"), "");
  EXPECT_EQ(first.add("two\nlines"), "");
  EXPECT_EQ(History(file, true).load(), (std::vector<std::string>{"one", "two\nlines"}));
  struct stat status {};
  ASSERT_EQ(stat(file.parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST(HistoryTest, SeesWhatAnotherProgramAdds) {
  const TempDir dir;
  const auto file = dir.path() / "history";
  History one(file, true), two(file, true);
  EXPECT_TRUE(one.load().empty());
  EXPECT_EQ(one.changed(), std::nullopt);
  two.add("from two");
  EXPECT_EQ(one.changed(), std::vector<std::string>{"from two"});
  EXPECT_EQ(one.changed(), std::nullopt);
  one.add("from one");
  EXPECT_EQ(two.changed(), (std::vector<std::string>{"from two", "from one"}));
}

TEST(HistoryTest, KeepsNothingWhenToldSo) {
  const TempDir dir;
  History history(dir.path() / "history", false);
  EXPECT_EQ(history.add("secret"), "");
  EXPECT_EQ(history.changed(), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "history"));
}

TEST(HistoryTest, AFaultIsToldOnce) {
  const TempDir dir;
  History history(dir.file("file", "") + "/below/history", true);
  EXPECT_NE(history.add("one"), "");
  EXPECT_EQ(history.add("two"), "");
}

}  // namespace
}  // namespace confab::app
