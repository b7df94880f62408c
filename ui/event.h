// SPDX-License-Identifier: MIT
// What a person does at a terminal, as values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace confab::ui {

struct Key {
  enum class Code : std::uint8_t {
    character,  // `character`
    enter,
    tab,
    backspace,
    escape,
    up,
    down,
    left,
    right,
    home,
    end,
    page_up,
    page_down,
    insert,
    del,
    f1,  // f1 + n: F(n + 1), up to f12
    f12 = f1 + 11,
    wheel_up,  // of the mouse, three lines; without bytes
    wheel_down,
    unknown,  // a sequence that names no key of ours; an inputrc may still bind it
  };
  Code code = Code::character;
  // With ctrl, the lower-case letter (Ctrl+C is 'c') or one of "@[\\]^_".
  char32_t character = 0;
  bool ctrl = false;
  bool alt = false;
  bool shift = false;      // only with keys that are not characters
  std::string bytes = {};  // as the terminal sent it: what the line editor reads

  bool operator==(const Key&) const = default;
};

// The left button of the mouse was pressed; row and column count from 0.
struct Click {
  int row = 0;
  int col = 0;
  bool operator==(const Click&) const = default;
};

// A bracketed paste, as one piece and otherwise as it came: untrusted, line breaks may be CR.
struct Paste {
  std::string text;
  bool operator==(const Paste&) const = default;
};

// The terminal is gone: end of file or an I/O error. No further event follows.
struct HangUp {
  bool operator==(const HangUp&) const = default;
};

// The window got or lost the keyboard.
struct Focus {
  bool in = false;
  bool operator==(const Focus&) const = default;
};

enum class Background : std::uint8_t { dark, light };

// The terminal has said what its background is: later than was waited for, or it has changed.
struct BackgroundFound {
  Background background = Background::dark;
  bool operator==(const BackgroundFound&) const = default;
};

// What the terminal answers when it is asked; the Terminal keeps these for itself.
struct TerminalReply {
  enum class Kind : std::uint8_t {
    attributes,  // DA1
    name,        // XTVERSION: `text`
    mode,        // DECRPM: the mode `first` is in the state `second`
    keyboard,    // the flags `first` of the kitty keyboard protocol
    background,  // OSC 11: `text`, as "rgb:ffff/ffff/ffff"
    cursor,      // CPR: row `first` and column `second`, from 1
    scheme,      // its colours have changed (mode 2031): `first` is 1 for dark, 2 for light
  };
  Kind kind = Kind::attributes;
  int first = 0;
  int second = 0;
  std::string text = {};
  bool operator==(const TerminalReply&) const = default;
};

using Event = std::variant<Key, Click, Paste, HangUp, Focus, BackgroundFound, TerminalReply>;

}  // namespace confab::ui
