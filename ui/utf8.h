// SPDX-License-Identifier: MIT
// One character as UTF-8 and back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace confab::ui {

std::string to_utf8(char32_t character);  // of a surrogate or beyond U+10FFFF: U+FFFD

struct Utf8Character {
  char32_t code_point;
  std::size_t n_bytes;
};
// The first character of non-empty text; one that is malformed is U+FFFD and a byte long.
Utf8Character next_character(std::string_view text);
inline char32_t from_utf8(std::string_view text) {
  return next_character(text).code_point;
}

}  // namespace confab::ui
