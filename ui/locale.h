// SPDX-License-Identifier: MIT
// The character encoding that ncurses and readline use.
#pragma once

namespace confab::ui {

// Makes LC_CTYPE a UTF-8 locale, because all text in this program is UTF-8. It prefers the user's
// locale and otherwise takes C.UTF-8, which it also puts into the environment because readline
// reads it there. Call it once at the start, before threads exist.
void use_utf8_locale();

}  // namespace confab::ui
