// SPDX-License-Identifier: MIT
#include "ui/keymap.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace confab::ui
