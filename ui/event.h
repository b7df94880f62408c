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

// A bracketed paste, as one piece and otherwise as it came: untrusted, line breaks may be CR.
struct Paste {
  std::string text;
  bool operator==(const Paste&) const = default;
};

// The terminal is gone: end of file or an I/O error. No further event follows.
struct HangUp {
  bool operator==(const HangUp&) const = default;
};

using Event = std::variant<Key, Paste, HangUp>;

}  // namespace confab::ui
