// SPDX-License-Identifier: MIT
// Keys by the numbers and letters that terminals give them.
#pragma once

#include <optional>
#include <string>

#include "ui/event.h"

namespace confab::ui {

bool is_text(char32_t c);  // a character that can be typed: no control, no surrogate

Key text_key(char32_t c);  // of is_text()
Key control_key(char c);   // C0 or DEL

// As xterm's ctlseqs.txt gives them: 1 + Shift + 2 Alt + 4 Ctrl + 8 Meta, which counts as Alt; 0
// when not there.
void set_modifiers(Key& key, int parameter);

Key::Code code_of_letter(char letter);  // the last byte of CSI or SS3
Key::Code code_of_number(int number);   // of CSI number ~

// The key of a keyboard with Latin letters where another layout has this character: what a shortcut
// means there. nullopt: that is not known.
std::optional<char> latin_key(char32_t c);

// A key reported by its code point, as CSI code ; modifiers u (also the numbers that
// https://sw.kovidgoyal.net/kitty/keyboard-protocol gives to keys without one) or
// CSI 27 ; modifiers ; code ~.
struct ReportedKey {
  int code;
  int modifiers;
  int shifted = 0;             // what Shift makes of it; 0: not said
  int base = 0;                // the key's code on a Latin keyboard; 0: not said
  bool shift_applied = false;  // `code` is what Shift made of it
};
// Its bytes are those of a terminal without such reports: what readline knows. A shortcut that such
// a terminal cannot send has none, so that nothing is typed by it.
Key reported_key(const ReportedKey& reported);

// How xterm sends a key that moves or edits, with its modifiers; empty: it is none of these.
std::string usual_bytes(const Key& key);

}  // namespace confab::ui
