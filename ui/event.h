// SPDX-License-Identifier: MIT
// User input at a terminal, as values.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace confab::ui {

struct Key {
  enum class Code : std::uint8_t {
    character,  // the field `character`
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
    f1,  // f1 + n is F(n + 1), up to f12
    f12 = f1 + 11,
    wheel_up,  // mouse wheel, three lines; `bytes` is empty
    wheel_down,
    unknown,  // a sequence that no Code stands for; an inputrc may still bind it
  };
  Code code = Code::character;
  // With ctrl it is the lower-case letter (Ctrl+C is 'c') or one of "@[\\]^_".
  char32_t character = 0;
  bool ctrl = false;
  bool alt = false;
  bool shift = false;      // only for keys that are not characters
  std::string bytes = {};  // as the terminal sent them; the line editor reads these

  bool operator==(const Key&) const = default;
};

// A press of the left mouse button. Row and column count from 0.
struct Click {
  int row = 0;
  int col = 0;
  bool operator==(const Click&) const = default;
};

// A bracketed paste, in one piece and otherwise unchanged. The text is untrusted, and its line
// breaks may be CR.
struct Paste {
  std::string text;
  bool operator==(const Paste&) const = default;
};

// The terminal is gone: end of file or an I/O error. It is the last event.
struct HangUp {
  bool operator==(const HangUp&) const = default;
};

// The window gained or lost the keyboard focus.
struct Focus {
  bool in = false;
  bool operator==(const Focus&) const = default;
};

enum class Background : std::uint8_t { dark, light };

// The terminal reported its background, either too late to be waited for or because it changed.
struct BackgroundFound {
  Background background = Background::dark;
  bool operator==(const BackgroundFound&) const = default;
};

// An answer of the terminal to a question. The class Terminal does not pass it on.
struct TerminalReply {
  enum class Kind : std::uint8_t {
    attributes,  // DA1
    name,        // XTVERSION: `text`
    mode,        // DECRPM: mode `first` is in state `second`
    keyboard,    // flags `first` of the kitty keyboard protocol
    background,  // OSC 11: `text`, for example "rgb:ffff/ffff/ffff"
    cursor,      // CPR: row `first` and column `second`, from 1
    scheme,      // mode 2031: the colours changed; `first` is 1 for dark, 2 for light
  };
  Kind kind = Kind::attributes;
  int first = 0;
  int second = 0;
  std::string text = {};
  bool operator==(const TerminalReply&) const = default;
};

using Event = std::variant<Key, Click, Paste, HangUp, Focus, BackgroundFound, TerminalReply>;

}  // namespace confab::ui
