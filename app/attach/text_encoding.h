// SPDX-License-Identifier: MIT
// From the bytes of a file to text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace confab::app {

enum class Encoding {
  utf8,    // with a mark or without
  utf16,   // only with a mark
  latin1,  // as Windows writes it (windows-1252): it has letters where ISO 8859-1 has none
};

struct DecodedText {
  std::string text = {};  // valid UTF-8, without a mark
  Encoding encoding = Encoding::utf8;
  std::size_t n_replaced = 0;  // characters that were wrong in this encoding, now U+FFFD
};

// nullopt: it is no text that we know. A NUL is in none. What is not UTF-8 is Latin-1 where it
// looks like words in it, and UTF-8 with a few faults where most of it is that.
std::optional<DecodedText> decode_text(std::string bytes);

// What a byte means in that encoding; U+FFFD: nothing.
char32_t windows_1252(unsigned char byte) noexcept;
// Appends a code point as UTF-8; what is none, as U+FFFD.
void append_utf8(std::string& text, char32_t c);

}  // namespace confab::app
