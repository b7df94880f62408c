// SPDX-License-Identifier: MIT
#include "app/commands/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/error.h"

namespace confab::app {

std::string take_word(std::string& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word = text.substr(0, end);
  text.erase(0, std::min(text.find_first_not_of(' ', end), text.size()));
  return word;
}

int number_of(const std::string& text, int least, const char* usage) {
  if (text.empty()) throw UserError(fmt::format("a number is missing: {}", usage));
  int n = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, n);
  if (fault != std::errc{} || stop != end || n < least)
    throw UserError(
        fmt::format("'{}' is not a whole number of at least {}: {}", text, least, usage));
  return n;
}

int count_of(const std::string& text, int none, const char* usage) {
  return text.empty() ? none : number_of(text, 1, usage);
}

}  // namespace confab::app
