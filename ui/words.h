// SPDX-License-Identifier: MIT
// Small functions on ASCII words, for names that people type and for lists of words in tables.
#pragma once

#include <string>
#include <string_view>

namespace confab::ui {

constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower_case(std::string_view text);

// Removes the blanks at both ends. The result points into `text`.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") noexcept;

// Takes the first word off a list of words separated by spaces. Returns an empty word at the end of
// the list.
std::string_view take_word(std::string_view& list) noexcept;
bool has_word(std::string_view list, std::string_view word) noexcept;

}  // namespace confab::ui
