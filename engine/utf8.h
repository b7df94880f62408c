// SPDX-License-Identifier: MIT
// Reads and writes UTF-8. All engine code that looks at characters decodes them here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace confab::engine {

// The code point reported for invalid bytes. It is above all real ones.
inline constexpr char32_t kNotUtf8 = 0x110000;

struct Utf8Char {
  char32_t code_point = kNotUtf8;
  std::uint8_t size = 1;  // bytes
  bool cut = false;       // the text ends before the character is complete
};

// Decodes the first character of a non-empty text (Unicode 15, table 3-7). Overlong forms,
// surrogates and values past U+10FFFF are invalid. For invalid bytes, `size` is the length of the
// maximal part that one U+FFFD replaces (section 3.9, table 3-8).
Utf8Char read_utf8(std::string_view text) noexcept;

// Decodes by the bits alone: overlong forms, surrogates and values up to 0x1FFFFF are accepted.
// Invalid bytes have size 1.
Utf8Char read_utf8_bits(std::string_view text) noexcept;

// The code point in `size` bytes at p, which must be a valid character.
inline char32_t utf8_bits(const char* p, std::size_t size) noexcept {
  const auto low = [p](std::size_t i) { return static_cast<char32_t>(p[i] & 0x3F); };
  const auto lead = static_cast<unsigned char>(*p);
  switch (size) {
    case 1:
      return lead;
    case 2:
      return static_cast<char32_t>(lead & 0x1F) << 6 | low(1);
    case 3:
      return static_cast<char32_t>(lead & 0x0F) << 12 | low(1) << 6 | low(2);
    default:
      return static_cast<char32_t>(lead & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3);
  }
}

// The number of bytes that encode a code point.
constexpr std::size_t utf8_size(char32_t c) noexcept {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

// Encodes any value up to 0x1FFFFF by its bits, including surrogates.
void append_utf8(std::string& out, char32_t code_point);

// Joins bytes that arrive in pieces, as from tokens, into whole UTF-8 characters. The output is
// always valid UTF-8. Bytes that cannot become a character come out as U+FFFD, one for each maximal
// part of a character (Unicode 15, section 3.9, table 3-8), so the text does not depend on how the
// bytes were cut.
class Utf8Stream {
 public:
  // Appends all complete characters to `text` and holds back at most 3 bytes of an incomplete one.
  void push(std::string_view bytes, std::string& text);
  // Ends the stream: an incomplete character becomes one U+FFFD. The stream can be reused.
  void finish(std::string& text);
  // Returns true if nothing is held back.
  bool is_whole() const noexcept { return held_.empty(); }

 private:
  std::string held_ = {};  // the start of a character that may still be completed
};

}  // namespace confab::engine
