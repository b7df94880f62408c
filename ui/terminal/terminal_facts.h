// SPDX-License-Identifier: MIT
// What a terminal is asked at the start, and what follows from its answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ui/capabilities.h"
#include "ui/event.h"
#include "ui/text.h"

namespace confab::ui {

// Where frames are drawn: on a screen of their own, or below what the terminal has in its
// scrollback.
enum class Surface : std::uint8_t { screen, scrollback };

struct TerminalFacts {
  std::optional<Background> background;
  bool tells_background = false;  // when it is asked
  std::string name;               // "XTerm(379)", "tmux 3.3a"; empty: not said
  bool keyboard = false;          // it knows kitty's keyboard protocol
  bool answered = false;          // the last question has been answered, and so all that it knows
};

// Background (OSC 11), synchronised output (DECRQM 2026), kitty's keyboard protocol, name
// (XTVERSION), the width of an ambiguous character (by the cursor after one, where there is more
// than one row: in the second of a cleared screen, or in the next of the scrollback; in the first
// row the answer would be a function key), and last DA1, which all terminals answer.
std::string terminal_questions(Rows rows, Surface surface);

// Takes in an answer, into facts and capabilities.
void learn(const TerminalReply& reply, TerminalFacts& facts, Capabilities& can);

// Of a colour as X11 writes it: "rgb:1e/1e/2e" (1 to 4 hexadecimal digits each), "rgba:..." or
// "#1e1e2e"; nullopt when it is none.
std::optional<Background> background_of(std::string_view color);

// What COLORFGBG says ("15;0", "0;default;15"), which some terminals set.
std::optional<Background> background_of_environment();

}  // namespace confab::ui
