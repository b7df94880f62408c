// SPDX-License-Identifier: MIT
// Lower case for ASCII letters. All other bytes stay as they are.
#pragma once

#include <string>

namespace confab::engine {

constexpr char ascii_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string ascii_lower(std::string text) {
  for (char& c : text) c = ascii_lower(c);
  return text;
}

}  // namespace confab::engine
