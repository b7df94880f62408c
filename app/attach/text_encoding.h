// SPDX-License-Identifier: MIT
// Converts the bytes of a file to text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace confab::app {

enum class Encoding {
  utf8,    // with or without a byte order mark
  utf16,   // only with a byte order mark
  latin1,  // windows-1252, which has letters where ISO 8859-1 has control characters
};

struct DecodedText {
  std::string text = {};  // valid UTF-8, without a byte order mark
  Encoding encoding = Encoding::utf8;
  std::size_t n_replaced = 0;  // invalid characters, replaced by U+FFFD
};

// Returns nullopt if the bytes are not text in a known encoding; text never contains a NUL. Invalid
// UTF-8 is read as UTF-8 with a few errors if most of it is valid, or as Latin-1 if it looks like
// words in that.
std::optional<DecodedText> decode_text(std::string bytes);

// The character of a byte in windows-1252, or U+FFFD if it has none.
char32_t windows_1252(unsigned char byte) noexcept;
// Appends a code point as UTF-8, or U+FFFD if it is invalid.
void append_utf8(std::string& text, char32_t c);

}  // namespace confab::app
