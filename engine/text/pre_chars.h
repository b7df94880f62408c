// SPDX-License-Identifier: MIT
// Building blocks for the matchers of pre-tokenizers. A function that takes [p, end) returns the
// end of its match at p, or p if nothing matches.
#pragma once

#include <initializer_list>
#include <utility>

#include "engine/text/unicode_class.h"

namespace confab::engine::pre {

inline bool has(Char c, int classes) {
  return (c.char_class & classes) != 0;
}
inline bool is_line_break(Char c) {
  return c.code_point == '\r' || c.code_point == '\n';
}
inline bool in(Char c, char32_t first, char32_t last) {
  return c.code_point >= first && c.code_point <= last;
}
inline bool is_ascii_letter(Char c) {
  return in(c, 'A', 'Z') || in(c, 'a', 'z');
}
// [^\s\p{L}\p{N}]
inline bool is_other(Char c) {
  return !has(c, kSpace | kLetter | kNumber);
}
// The optional character before a word in GPT-4's family of expressions: [^\r\n\p{L}\p{N}]
inline bool is_prefix(Char c) {
  return c.size != 0 && !has(c, kLetter | kNumber) && !is_line_break(c);
}

// Matches characters that satisfy `accept`, at most `limit` of them (< 0: any number).
template <typename Accept>
const char* run(const char* p, const char* end, Accept accept, int limit = -1) {
  for (; limit != 0; --limit) {
    const Char c = read_char(p, end);
    if (c.size == 0 || !accept(c)) break;
    p += c.size;
  }
  return p;
}

// \p{N}{1,limit}
inline const char* numbers(const char* p, const char* end, int limit = -1) {
  return run(
      p, end, [](Char c) { return has(c, kNumber); }, limit);
}

}  // namespace confab::engine::pre
