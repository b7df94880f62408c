// SPDX-License-Identifier: MIT
// The keys while a message has the focus: one table, for the chat, /help and the manual page. And
// all keys of the chat in words, from the tables that they are read by.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace confab::app {

enum class FocusAction {
  message_up,
  message_down,
  part_on,
  part_back,
  line_up,
  line_down,
  half_up,
  half_down,
  top,
  bottom,
  copy,
  save,
  fold,
  toggle_raw,
  regenerate,
  edit,
  go_on,
  fork,
  branch_back,
  branch_on,
  search,
  match_on,
  match_back,
  help,
  leave,
};

struct FocusKey {
  std::string_view keys;  // as ui::key_name() spells them, separated by spaces
  std::string_view help;
  FocusAction action;
};
std::span<const FocusKey> focus_keys() noexcept;
// The row that a key has, by its name; nullptr: it means nothing there.
const FocusKey* find_focus_key(std::string_view name) noexcept;

// Several lines each, without a line break at the end.
std::string keys_help();
std::string line_keys_help();  // those that work in the chat line by line

}  // namespace confab::app
