// SPDX-License-Identifier: MIT
// One character as UTF-8 and back.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

std::string to_utf8(char32_t character);  // of a surrogate or beyond U+10FFFF: U+FFFD
// The first character of non-empty text; U+FFFD when it is malformed.
char32_t from_utf8(std::string_view text);

}  // namespace confab::ui
