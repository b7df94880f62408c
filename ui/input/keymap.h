// SPDX-License-Identifier: MIT
// Keys that the chat itself acts on, in one table; every other key is the line editor's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/event.h"

namespace confab::ui {

enum class Command : std::uint8_t {
  interrupt,
  cancel,  // stops the answer, ends a search; in vi mode also the line editor's
  suspend,
  redraw,
  page_up,
  page_down,
  line_up,
  line_down,
  to_top,
  to_bottom,
  wheel_up,
  wheel_down,
  focus,  // to the transcript
  open,   // reasoning, folded pastes
  raw,    // Markdown as it was written
  think,
};

struct KeyBinding {
  std::string_view key;  // as key_name() spells it
  Command command;
  std::string_view help;
};
std::span<const KeyBinding> key_bindings() noexcept;

std::optional<Command> command_for(const Key& key);

// What a key is called: "a", "A", "é", "Space", "Ctrl+C", "Alt+M", "Shift+Tab", "Ctrl+Up", "F1". ""
// for one that has no name.
std::string key_name(const Key& key);

}  // namespace confab::ui
