// SPDX-License-Identifier: MIT
// The encoding that ncurses and readline work in.
#pragma once

namespace confab::ui {

// Makes LC_CTYPE a UTF-8 locale, as text of ours is always UTF-8: the user's own, else C.UTF-8,
// which then also goes into the environment, where readline looks it up. Call once at start, before
// threads exist.
void use_utf8_locale();

}  // namespace confab::ui
