// SPDX-License-Identifier: MIT
// Keys by the numbers and letters that terminals give them.
#pragma once

#include "ui/event.h"

namespace confab::ui {

bool is_text(char32_t c);  // a character that can be typed: no control, no surrogate

Key text_key(char32_t c);  // of is_text()
Key control_key(char c);   // C0 or DEL

// As xterm's ctlseqs.txt gives them: 1 + Shift + 2 Alt + 4 Ctrl; 0 when not there.
void set_modifiers(Key& key, int parameter);

Key::Code code_of_letter(char letter);  // the last byte of CSI or SS3
Key::Code code_of_number(int number);   // of CSI number ~

// A key reported by its code point, as CSI code ; modifiers u (also the numbers that
// https://sw.kovidgoyal.net/kitty/keyboard-protocol gives to keys without one) or
// CSI 27 ; modifiers ; code ~. Its bytes are those of a terminal without such reports: what
// readline knows.
Key reported_key(int code, int modifiers);

}  // namespace confab::ui
