// SPDX-License-Identifier: MIT
#include "engine/constrain/pattern_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/error.h"
#include "engine/utf8.h"

namespace confab::engine {

char32_t PatternText::next() {
  if (at_end()) fail("the expression ends too early");
  const Utf8Char c = read_utf8(text_.substr(at_));
  if (c.code_point == kNotUtf8) fail("it is not UTF-8");
  at_ += c.size;
  return c.code_point;
}

bool PatternText::take(char c) noexcept {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool PatternText::take(std::string_view text) noexcept {
  if (!text_.substr(at_).starts_with(text)) return false;
  at_ += text.size();
  return true;
}

std::optional<int> PatternText::take_number(int most) {
  int value = 0;
  const std::size_t begin = at_;
  for (; peek() >= '0' && peek() <= '9'; ++at_) {
    value = 10 * value + (peek() - '0');
    if (value > most) fail(fmt::format("a number greater than {}", most));
  }
  return at_ == begin ? std::nullopt : std::optional(value);
}

char32_t PatternText::take_hex(int n_digits) {
  char32_t value = 0;
  for (int i = 0; i < n_digits; ++i, ++at_) {
    const char c = peek();
    if (c >= '0' && c <= '9')
      value = 16 * value + static_cast<char32_t>(c - '0');
    else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
      value = 16 * value + static_cast<char32_t>((c | 0x20) - 'a' + 10);
    else
      fail(fmt::format("{} hexadecimal digits expected", n_digits));
  }
  return value;
}

int PatternText::line() const {
  return 1 + static_cast<int>(std::ranges::count(text_.substr(0, at_), '\n'));
}

void PatternText::fail(std::string_view fault) const {
  if (kind_ == Kind::grammar) throw ModelError(fmt::format("grammar: line {}: {}", line(), fault));
  throw ModelError(fmt::format("regular expression '{}': at character {}: {}", printable(text_),
                               at_ + 1, fault));
}

}  // namespace confab::engine
