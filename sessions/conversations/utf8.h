// SPDX-License-Identifier: MIT
// Code points of text that may be no UTF-8 at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace confab::sessions {

struct CodePoint {
  char32_t value;  // U+FFFD for a byte that begins no character
  std::size_t n_bytes;
};

CodePoint first_code_point(std::string_view text);  // of text that is not empty
void append_utf8(std::string& out, char32_t code_point);

}  // namespace confab::sessions
