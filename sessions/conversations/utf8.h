// SPDX-License-Identifier: MIT
// Code points of text that may be invalid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace confab::sessions {

struct CodePoint {
  char32_t value;  // U+FFFD for a byte that does not begin a character
  std::size_t n_bytes;
};

CodePoint first_code_point(std::string_view text);  // the text must not be empty
void append_utf8(std::string& out, char32_t code_point);

}  // namespace confab::sessions
