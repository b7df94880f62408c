// SPDX-License-Identifier: MIT
// UTF-8, read and written. All of the engine that looks at characters decodes them here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace confab::engine {

// The code point of bytes that are no character: above all that are.
inline constexpr char32_t kNotUtf8 = 0x110000;

struct Utf8Char {
  char32_t code_point = kNotUtf8;
  std::uint8_t size = 1;  // bytes
  bool cut = false;       // the text ends where more bytes would have made it a character
};

// The character that a text, not empty, begins with (Unicode 15, table 3-7): no overlong forms,
// surrogates or values past U+10FFFF. Bytes that are none have the size of the largest part that
// one U+FFFD takes the place of (section 3.9, table 3-8).
Utf8Char read_utf8(std::string_view text) noexcept;

// The same by the bits alone: overlong forms, surrogates and values up to 0x1FFFFF are characters.
// Other bytes have the size 1.
Utf8Char read_utf8_bits(std::string_view text) noexcept;

// The code point of the bits of `size` bytes at p that are known to be a character.
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

// The bytes that a code point takes.
constexpr std::size_t utf8_size(char32_t c) noexcept {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

// Code points up to 0x1FFFFF as their bits are, surrogates too.
void append_utf8(std::string& out, char32_t code_point);

// Bytes that come in pieces, as tokens give them, turned into whole UTF-8 characters.
// Everything given out is valid UTF-8. Bytes that cannot become a character come as U+FFFD, one
// for each maximal part of a character (Unicode 15, section 3.9, table 3-8), so the text does not
// depend on how the bytes were cut.
class Utf8Stream {
 public:
  // Appends what is complete to `text`; at most 3 bytes of a character are held back.
  void push(std::string_view bytes, std::string& text);
  // The end: a held-back part of a character becomes one U+FFFD. The stream can be used again.
  void finish(std::string& text);
  // Nothing is held back.
  bool is_whole() const noexcept { return held_.empty(); }

 private:
  std::string held_ = {};  // the start of a character that may still become one
};

}  // namespace confab::engine
