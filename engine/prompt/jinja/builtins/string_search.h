// SPDX-License-Identifier: MIT
// The methods of Python's str that look for one text in another: find, split, replace, ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "engine/prompt/jinja/arguments.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {

std::span<const NamedFunction> string_search_methods() noexcept;

inline constexpr auto kUnlimited = std::numeric_limits<std::int64_t>::max();

// Replaces at most `count` times. A negative count means everywhere.
Text replace(Runtime& runtime, const Text& text, const Text& from, const Text& to,
             std::int64_t count);
// Calls f(begin, end) for each word between white space. After `limit` words, it is called once
// more for the rest.
template <class F>
void for_each_word(std::string_view s, std::int64_t limit, const F& f) {
  std::size_t pos = space_end(s);
  for (std::int64_t n = 0; pos < s.size() && n < limit; ++n) {
    std::size_t end = pos;
    while (end < s.size() && !is_space(decode(s, end))) end = char_end(s, end);
    f(pos, end);
    pos = end + space_end(s.substr(end));
  }
  if (pos < s.size()) f(pos, s.size());
}
// The lines of the text, without their line ends unless `keep_ends`.
std::vector<Text> split_lines(Runtime& runtime, const Text& text, bool keep_ends = false);

}  // namespace confab::engine::jinja
