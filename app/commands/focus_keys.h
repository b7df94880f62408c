// SPDX-License-Identifier: MIT
// The keys that work while a message has the focus, in one table for the chat, /help and the manual
// page. Also describes all keys of the chat, from the tables that read them.
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
  std::string_view keys;  // spelled as by ui::key_name(), separated by spaces
  std::string_view help;
  FocusAction action;
};
std::span<const FocusKey> focus_keys() noexcept;
// The row of a key, by its name. Returns nullptr if the key does nothing here.
const FocusKey* find_focus_key(std::string_view name) noexcept;

// Several lines, without a line break at the end.
std::string keys_help();
std::string line_keys_help();  // the keys that work in the line chat

}  // namespace confab::app
