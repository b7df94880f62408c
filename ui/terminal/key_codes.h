// SPDX-License-Identifier: MIT
// Keys by the numbers and letters that terminals use for them.
#pragma once

#include <optional>
#include <string>

#include "ui/event.h"

namespace confab::ui {

bool is_text(char32_t c);  // a character that can be typed: not a control, not a surrogate

Key text_key(char32_t c);  // `c` must satisfy is_text()
Key control_key(char c);   // C0 or DEL

// Sets the modifiers from a parameter as in xterm's ctlseqs.txt: 1 + Shift + 2 Alt + 4 Ctrl + 8
// Meta, where Meta counts as Alt. 0 means that the parameter is missing.
void set_modifiers(Key& key, int parameter);

Key::Code code_of_letter(char letter);  // from the last byte of CSI or SS3
Key::Code code_of_number(int number);   // from CSI number ~

// Returns the letter that a Latin keyboard has on the key where another layout has `c`. That letter
// decides what a shortcut means. Returns nullopt if it is unknown.
std::optional<char> latin_key(char32_t c);

// A key reported by its code point, as CSI code ; modifiers u or CSI 27 ; modifiers ; code ~. Keys
// without a code point have the numbers of https://sw.kovidgoyal.net/kitty/keyboard-protocol.
struct ReportedKey {
  int code;
  int modifiers;
  int shifted = 0;             // the character with Shift; 0: not reported
  int base = 0;                // the key's code on a Latin keyboard; 0: not reported
  bool shift_applied = false;  // Shift is applied in `code` already
};
// Returns the key with the bytes that a terminal without such reports sends, because readline knows
// those. A shortcut that such a terminal cannot send has no bytes, so it types nothing.
Key reported_key(const ReportedKey& reported);

// Returns the bytes that xterm sends for a movement or editing key with its modifiers. Empty for
// any other key.
std::string usual_bytes(const Key& key);

}  // namespace confab::ui
