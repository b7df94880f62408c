// SPDX-License-Identifier: MIT
// Words of ASCII letters, as people type names that this program knows and its tables list them,
// and texts as they type them.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower_case(std::string_view text);

// Without the blanks at its ends: a part of the same text.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") noexcept;

// The first word of a list with spaces between its words, which is taken off it; empty at its end.
std::string_view take_word(std::string_view& list) noexcept;
bool has_word(std::string_view list, std::string_view word) noexcept;

}  // namespace confab::ui
