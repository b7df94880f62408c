// SPDX-License-Identifier: MIT
// The character classes used by pre-tokenizers, and the well-formed text that they read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace confab::engine {

// Bits returned by char_class(). A code point has one of the general categories L, N, P, S, M, or
// is white space (the Unicode property White_Space), or has no bit set.
enum CharClass : std::uint8_t {
  kLetter = 1,
  kNumber = 2,
  kPunctuation = 4,
  kSymbol = 8,
  kMark = 16,
  kSpace = 32,
};

struct Char {
  char32_t code_point = 0;
  std::uint8_t char_class = 0;
  std::uint8_t size = 0;  // in bytes; 0 at the end of the text
};

// Accepts any value. The categories are those of the installed PCRE2, updated to Unicode 15.1.
std::uint8_t char_class(char32_t code_point);

// The character at p < end, or one of size 0 at p == end. [p, end) must be well-formed as
// repair_utf8() defines it.
Char read_char(const char* p, const char* end);

// Replaces every byte that does not start a character with U+FFFD, and shortens overlong forms.
// Returns nullopt if there is nothing to repair. Surrogates pass, as in llama.cpp, whose results
// these are (src/unicode.cpp, unicode_cpt_from_utf8).
std::optional<std::string> repair_utf8(std::string_view text);

}  // namespace confab::engine
