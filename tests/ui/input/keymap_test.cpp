// SPDX-License-Identifier: MIT
#include "ui/input/keymap.h"

#include <gtest/gtest.h>

#include "tests/ui/input/key_named.h"

namespace confab::ui {
namespace {

using Code = Key::Code;

TEST(KeymapTest, KnowsTheChatsOwnKeys) {
  const std::pair<Key, Command> keys[] = {
      {{.character = U'c', .ctrl = true}, Command::interrupt},
      {{.character = U'z', .ctrl = true}, Command::suspend},
      {{.character = U'l', .ctrl = true}, Command::redraw},
      {{.code = Code::escape}, Command::cancel},
      {{.code = Code::page_up}, Command::page_up},
      {{.code = Code::page_down}, Command::page_down},
      {{.code = Code::up, .shift = true}, Command::line_up},
      {{.code = Code::down, .shift = true}, Command::line_down},
      {{.code = Code::home, .ctrl = true}, Command::to_top},
      {{.code = Code::end, .ctrl = true}, Command::to_bottom},
      {{.code = Code::up, .ctrl = true}, Command::focus},
      {{.character = U'o', .ctrl = true}, Command::open},
      {{.character = U'm', .alt = true}, Command::raw},
      {{.character = U't', .ctrl = true}, Command::think},
  };
  for (const auto& [key, command] : keys) EXPECT_EQ(command_for(key), command);
}

TEST(KeymapTest, LeavesTheRestToTheLineEditor) {
  const Key keys[] = {
      {.character = U'c'},
      {.character = U'r', .ctrl = true},
      {.character = U'c', .ctrl = true, .alt = true},
      {.code = Code::up},
      {.code = Code::home},
      {.code = Code::end},
      {.code = Code::enter},
      {.code = Code::tab},
  };
  for (const Key& key : keys) EXPECT_EQ(command_for(key), std::nullopt);
}

TEST(KeymapTest, EveryNameMeansOneKey) {
  const char* names[] = {"a",      "A",     "é",          "/",    "Space",          "Ctrl+Space",
                         "Ctrl+C", "Alt+M", "Ctrl+Alt+X", "Tab",  "Shift+Tab",      "Ctrl+Up",
                         "F1",     "F12",   "Alt+Enter",  "PgDn", "Ctrl+Shift+End", "+"};
  for (const char* name : names) {
    const std::optional<Key> key = key_named(name);
    ASSERT_TRUE(key) << name;
    EXPECT_EQ(key_name(*key), name);
  }
  for (const char* name : {"", "Ctrl+", "F13", "ab", "Control+C"})
    EXPECT_FALSE(key_named(name)) << name;
  EXPECT_EQ(key_name({.code = Code::unknown}), "");
}

TEST(KeymapTest, NoKeyStandsInTheTableTwice) {
  for (const KeyBinding& binding : key_bindings()) {
    ASSERT_TRUE(key_named(binding.key)) << binding.key;
    EXPECT_EQ(command_for(*key_named(binding.key)), binding.command) << binding.key;
    EXPECT_FALSE(binding.help.empty());
  }
}

}  // namespace
}  // namespace confab::ui
