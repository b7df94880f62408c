// SPDX-License-Identifier: MIT
// Characters as UTF-8 and back: the one place in ui that knows its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace confab::ui {

std::string to_utf8(char32_t character);  // of a surrogate or beyond U+10FFFF: U+FFFD

struct Utf8Character {
  enum class Kind : std::uint8_t {
    whole,
    malformed,
    cut,  // the text ends before the character does
  };
  char32_t code_point;  // U+FFFD unless it is whole
  // Of one that is malformed, those that no character begins with (the maximal subpart: The Unicode
  // Standard, chapter 3, table 3-8).
  std::size_t n_bytes;
  Kind kind = Kind::whole;
};
// The first character of non-empty text.
Utf8Character next_character(std::string_view text);
// Whether a byte goes on with a character that another one began.
inline bool goes_on(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80;
}
inline char32_t from_utf8(std::string_view text) {
  return next_character(text).code_point;
}

}  // namespace confab::ui
