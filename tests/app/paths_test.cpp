// SPDX-License-Identifier: MIT
#include "app/paths.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

namespace confab::app {
namespace {

class PathsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) {
      const char* value = getenv(name);
      saved_.emplace_back(name,
                          value != nullptr ? std::optional<std::string>(value) : std::nullopt);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : saved_)
      if (value)
        setenv(name.c_str(), value->c_str(), 1);
      else
        unsetenv(name.c_str());
  }

 private:
  static constexpr const char* kNames[] = {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
                                           "XDG_CACHE_HOME", "XDG_STATE_HOME"};
  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

TEST_F(PathsTest, FollowsTheBaseDirectoryDefaults) {
  setenv("HOME", "/home/somebody", 1);
  const Paths paths = Paths::from_environment();
  EXPECT_EQ(paths.config_file, "/home/somebody/.config/confab/config.toml");
  EXPECT_EQ(paths.themes, "/home/somebody/.config/confab/themes");
  EXPECT_EQ(paths.database, "/home/somebody/.local/share/confab/confab.db");
  EXPECT_EQ(paths.kv, "/home/somebody/.cache/confab/kv");
  EXPECT_EQ(paths.history, "/home/somebody/.local/state/confab/history");
  EXPECT_EQ(paths.state, "/home/somebody/.local/state/confab/state.toml");
  EXPECT_EQ(paths.log, "/home/somebody/.local/state/confab/log");
}

TEST_F(PathsTest, VariablesWinWhenAbsolute) {
  setenv("HOME", "/h", 1);
  setenv("XDG_DATA_HOME", "/data", 1);
  setenv("XDG_CACHE_HOME", "relative/is/ignored", 1);
  const Paths paths = Paths::from_environment();
  EXPECT_EQ(paths.database, "/data/confab/confab.db");
  EXPECT_EQ(paths.kv, "/h/.cache/confab/kv");
}

TEST_F(PathsTest, TheHomeDirectoryHasAShortName) {
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(expand_home("~/a b"), "/home/somebody/a b");
  EXPECT_EQ(expand_home("~"), "/home/somebody");
  EXPECT_EQ(expand_home("a/~/b"), "a/~/b");
  EXPECT_EQ(expand_home("~nobody-of-that-name/a"), "~nobody-of-that-name/a");
  EXPECT_EQ(shorten_home("/home/somebody/a b"), "~/a b");
  EXPECT_EQ(shorten_home("/home/somebody-else/a"), "/home/somebody-else/a");
  setenv("HOME", "/", 1);
  EXPECT_EQ(shorten_home("/a"), "/a");
  unsetenv("HOME");
  EXPECT_EQ(expand_home("~/a"), "~/a");
  EXPECT_EQ(shorten_home("/a"), "/a");
}

TEST_F(PathsTest, AnotherUsersHomeDirectoryHasAShortNameToo) {
  const passwd* user = getpwuid(getuid());
  if (user == nullptr) GTEST_SKIP() << "the user has no name";
  const std::string name = user->pw_name, home = user->pw_dir;
  EXPECT_EQ(expand_home("~" + name + "/a"), home + "/a");
  EXPECT_EQ(expand_home("~" + name), home);
}

TEST_F(PathsTest, FindsWhatIsShippedFromTheBuildTree) {
  const auto model = find_shipped("models/confab-demo.gguf");
  ASSERT_TRUE(model);
  EXPECT_TRUE(std::filesystem::exists(*model));
  EXPECT_FALSE(find_shipped("models/no-such-model.gguf"));
}

}  // namespace
}  // namespace confab::app
