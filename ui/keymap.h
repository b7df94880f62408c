// SPDX-License-Identifier: MIT
// Keys that the chat itself acts on; every other key is the line editor's.
#pragma once

#include <cstdint>
#include <optional>

#include "ui/event.h"

namespace confab::ui {

enum class Command : std::uint8_t {
  interrupt,  // Ctrl+C
  cancel,     // Escape: stops the answer, ends a search; in vi mode also the line editor's
  suspend,    // Ctrl+Z
  redraw,     // Ctrl+L
  page_up,
  page_down,
  line_up,    // Shift+Up
  line_down,  // Shift+Down
  to_top,     // Ctrl+Home
  to_bottom,  // Ctrl+End
};

std::optional<Command> command_for(const Key& key);

}  // namespace confab::ui
