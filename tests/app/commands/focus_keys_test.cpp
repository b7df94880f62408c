// SPDX-License-Identifier: MIT
#include "app/commands/focus_keys.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

namespace confab::app {
namespace {

TEST(FocusKeysTest, EveryKeyHasOneRowOfItsOwn) {
  std::set<std::string> seen;
  std::set<FocusAction> actions;
  for (const FocusKey& key : focus_keys()) {
    std::istringstream words{std::string(key.keys)};
    for (std::string word; words >> word;) {
      EXPECT_TRUE(seen.insert(word).second) << word;
      EXPECT_EQ(find_focus_key(word), &key) << word;
    }
    EXPECT_TRUE(actions.insert(key.action).second) << key.help;
    EXPECT_FALSE(key.help.empty()) << key.keys;
  }
}

TEST(FocusKeysTest, OtherKeysMeanNothing) {
  EXPECT_EQ(find_focus_key("x"), nullptr);
  EXPECT_EQ(find_focus_key(""), nullptr);
  EXPECT_EQ(find_focus_key("Enter Space"), nullptr);
}

}  // namespace
}  // namespace confab::app
