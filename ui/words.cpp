// SPDX-License-Identifier: MIT
#include "ui/words.h"

#include <algorithm>

namespace confab::ui {

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view take_word(std::string_view& list) noexcept {
  list.remove_prefix(std::min(list.find_first_not_of(' '), list.size()));
  const std::string_view word = list.substr(0, list.find(' '));
  list.remove_prefix(word.size());
  return word;
}

bool has_word(std::string_view list, std::string_view word) noexcept {
  for (std::string_view next = take_word(list); !next.empty(); next = take_word(list))
    if (next == word) return true;
  return false;
}

}  // namespace confab::ui
