// SPDX-License-Identifier: MIT
// The table of keys that the chat handles itself. All other keys go to the line editor.
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
  cancel,  // stops the answer or ends a search; in vi mode the line editor gets it too
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
  focus,  // moves to the transcript
  open,   // unfolds reasoning and pastes
  raw,    // shows Markdown as it was written
  think,
};

struct KeyBinding {
  std::string_view key;  // as key_name() spells it
  Command command;
  std::string_view help;
};
std::span<const KeyBinding> key_bindings() noexcept;

std::optional<Command> command_for(const Key& key);

// The name of a key: "a", "A", "é", "Space", "Ctrl+C", "Alt+M", "Shift+Tab", "Ctrl+Up", "F1". Empty
// if the key has no name.
std::string key_name(const Key& key);

}  // namespace confab::ui
