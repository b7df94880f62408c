// SPDX-License-Identifier: MIT
// Keys by their names, for tests that press them.
#pragma once

#include <optional>
#include <string_view>

#include "ui/input/keymap.h"
#include "ui/text.h"

namespace confab::ui {

// The key that key_name() calls so, without the bytes that a terminal sends for it; nullopt: none.
inline std::optional<Key> key_named(std::string_view name) {
  std::string_view bare = name;
  const auto take = [&bare](std::string_view prefix) {
    const bool has = bare.size() > prefix.size() && bare.starts_with(prefix);
    if (has) bare.remove_prefix(prefix.size());
    return has;
  };
  Key key;
  key.ctrl = take("Ctrl+");
  key.alt = take("Alt+");
  key.shift = take("Shift+");
  for (int i = 0; i < static_cast<int>(Key::Code::unknown); ++i) {
    key.code = static_cast<Key::Code>(i);
    if (key.code != Key::Code::character && key_name(key) == name) return key;
  }
  key.code = Key::Code::character;
  key.character = bare == "Space" ? U' ' : bare.empty() ? 0 : from_utf8(bare);
  const bool is_capital = key.character >= U'A' && key.character <= U'Z';
  if ((key.ctrl || key.alt) && is_capital) key.character += U'a' - U'A';
  return !name.empty() && key_name(key) == name ? std::optional(key) : std::nullopt;
}

}  // namespace confab::ui
