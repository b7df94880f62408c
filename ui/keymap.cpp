// SPDX-License-Identifier: MIT
#include "ui/keymap.h"

namespace confab::ui {
namespace {

std::optional<Command> control_command(char32_t character) {
  switch (character) {
    case U'c':
      return Command::interrupt;
    case U'z':
      return Command::suspend;
    case U'l':
      return Command::redraw;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Command> command_for(const Key& key) {
  if (key.alt) return std::nullopt;
  switch (key.code) {
    case Key::Code::character:
      return key.ctrl ? control_command(key.character) : std::nullopt;
    case Key::Code::escape:
      return Command::cancel;
    case Key::Code::page_up:
      return Command::page_up;
    case Key::Code::page_down:
      return Command::page_down;
    case Key::Code::up:
      return key.shift ? std::optional(Command::line_up) : std::nullopt;
    case Key::Code::down:
      return key.shift ? std::optional(Command::line_down) : std::nullopt;
    case Key::Code::home:
      return key.ctrl ? std::optional(Command::to_top) : std::nullopt;
    case Key::Code::end:
      return key.ctrl ? std::optional(Command::to_bottom) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace confab::ui
