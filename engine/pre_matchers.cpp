// SPDX-License-Identifier: MIT
#include "engine/pre_matchers.h"

#include <cstdint>

#include "engine/unicode_class.h"

namespace confab::engine {
namespace {

bool has(Char c, int classes) {
  return (c.char_class & classes) != 0;
}
bool is_line_break(Char c) {
  return c.code_point == '\r' || c.code_point == '\n';
}
bool in(Char c, char32_t first, char32_t last) {
  return c.code_point >= first && c.code_point <= last;
}

// End of the run of characters that satisfy `accept`, at most `limit` of them (< 0: any number).
template <typename Accept>
const char* run(const char* p, const char* end, Accept accept, int limit = -1) {
  for (; limit != 0; --limit) {
    const Char c = read_char(p, end);
    if (c.size == 0 || !accept(c)) break;
    p += c.size;
  }
  return p;
}

const char* letters(const char* p, const char* end) {
  return run(p, end, [](Char c) { return has(c, kLetter); });
}

const char* numbers(const char* p, const char* end, int limit = -1) {
  return run(
      p, end, [](Char c) { return has(c, kNumber); }, limit);
}

// 's|'t|'re|'ve|'m|'ll|'d; fold: |0x20 before the comparison.
const char* contraction(const char* p, const char* end, char fold) {
  if (end - p < 2 || *p != '\'') return p;
  const char a = static_cast<char>(p[1] | fold);
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return p + 2;
  if (end - p < 3) return p;
  const char b = static_cast<char>(p[2] | fold);
  const bool pair = (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l');
  return pair ? p + 3 : p;
}
constexpr char kExactCase = 0;
constexpr char kAnyCase = 0x20;

// \s+(?!\S)|\s+
const char* spaces(const char* p, const char* end) {
  const char* last = p;  // start of the last character of the run
  const char* q = p;
  for (Char c = read_char(q, end); c.size != 0 && has(c, kSpace); c = read_char(q, end)) {
    last = q;
    q += c.size;
  }
  return q == end || last == p ? q : last;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
const char* spaces_or_lines(const char* p, const char* end) {
  const char* after_break = p;
  const char* q = p;
  for (Char c = read_char(q, end); c.size != 0 && has(c, kSpace); c = read_char(q, end)) {
    q += c.size;
    if (is_line_break(c)) after_break = q;
  }
  return after_break != p ? after_break : spaces(p, end);
}

//  ?X+T* with X: accept, T: trail.
template <typename Accept, typename Trail>
const char* others(const char* p, const char* end, Accept accept, Trail trail) {
  const char* start = p < end && *p == ' ' ? p + 1 : p;
  const char* q = run(start, end, accept);
  return q == start ? p : run(q, end, trail);
}

bool is_other(Char c) {
  return !has(c, kSpace | kLetter | kNumber);
}

// [^\r\n\p{L}\p{N}]?W+ with W: the characters of `word` classes, which hold kLetter.
const char* prefixed_word(const char* p, const char* end, int word) {
  const auto in_word = [word](Char c) { return has(c, word); };
  const Char first = read_char(p, end);
  if (!has(first, kLetter | kNumber) && !is_line_break(first)) {
    const char* q = run(p + first.size, end, in_word);
    if (q != p + first.size) return q;
  }
  return run(p, end, in_word);
}

// The family of GPT-4's first expression (tiktoken's cl100k_base).
const char* match_cl100k(const char* p, const char* end, int max_digits, int word) {
  const char* q = contraction(p, end, kAnyCase);
  if (q != p) return q;
  if ((q = prefixed_word(p, end, word)) != p) return q;
  if ((q = numbers(p, end, max_digits)) != p) return q;
  const auto other = [word](Char c) { return is_other(c) && !has(c, word); };
  if ((q = others(p, end, other, is_line_break)) != p) return q;
  return spaces_or_lines(p, end);
}

bool is_upper(Char c) {
  return has(c, kLetter) && !in(c, 'a', 'z');
}
bool is_lower(Char c) {
  return has(c, kLetter) && !in(c, 'A', 'Z');
}

// U*l+|U+l*
const char* cased_word(const char* p, const char* end) {
  const char* after_both = p;  // where l+ may start latest when U* has to give back
  const char* q = p;
  for (Char c = read_char(q, end); c.size != 0 && is_upper(c); c = read_char(q, end)) {
    q += c.size;
    if (is_lower(c)) after_both = q;
  }
  const char* lower = run(q, end, is_lower);
  if (lower != q) return lower;
  return after_both != p ? after_both : q;
}

// The family of GPT-4o's expression (tiktoken's o200k_base).
const char* match_o200k(const char* p, const char* end, int max_digits, bool contractions) {
  const Char first = read_char(p, end);
  const bool prefix = !has(first, kLetter | kNumber) && !is_line_break(first);
  const char* start = prefix ? p + first.size : p;
  const char* q = cased_word(start, end);
  if (q != start) return contractions ? contraction(q, end, kAnyCase) : q;
  if ((q = numbers(p, end, max_digits)) != p) return q;
  const auto trail = [](Char c) { return is_line_break(c) || c.code_point == '/'; };
  if ((q = others(p, end, is_other, trail)) != p) return q;
  return spaces_or_lines(p, end);
}

bool is_ascii_letter(Char c) {
  return in(c, 'A', 'Z') || in(c, 'a', 'z');
}
bool is_ascii_punctuation(Char c) {
  return in(c, '!', '~') && !is_ascii_letter(c) && !in(c, '0', '9');
}

template <typename Accept>
const char* space_then(const char* p, const char* end, Accept accept) {
  const Char first = read_char(p, end);
  const char* start = has(first, kSpace) ? p + first.size : p;
  const char* q = run(start, end, accept);
  return q == start ? p : q;
}

// [\p{P}$+<=>^~|]
bool is_wide_punctuation(Char c) {
  return has(c, kPunctuation) || (c.code_point < 0x80 && has(c, kSymbol) && c.code_point != '`');
}

}  // namespace

const char* match_gpt2(const char* p, const char* end) {
  const char* q = contraction(p, end, kExactCase);
  if (q != p) return q;
  const char* start = *p == ' ' ? p + 1 : p;
  if ((q = letters(start, end)) != start) return q;
  if ((q = numbers(start, end)) != start) return q;
  if ((q = run(start, end, is_other)) != start) return q;
  return spaces(p, end);
}

const char* match_llama3(const char* p, const char* end) {
  return match_cl100k(p, end, 3, kLetter);
}

const char* match_qwen2(const char* p, const char* end) {
  return match_cl100k(p, end, 1, kLetter);
}

const char* match_qwen35(const char* p, const char* end) {
  return match_cl100k(p, end, 1, kLetter | kMark);
}

const char* match_tekken(const char* p, const char* end) {
  return match_o200k(p, end, 1, false);
}

const char* match_gpt4o(const char* p, const char* end) {
  return match_o200k(p, end, 3, true);
}

const char* match_deepseek3(const char* p, const char* end) {
  const Char first = read_char(p, end);
  const char* rest = p + first.size;
  if (is_ascii_punctuation(first)) {
    const char* q = run(rest, end, is_ascii_letter);
    if (q != rest) return q;
  }
  const auto in_word = [](Char c) { return has(c, kLetter | kMark); };
  const auto is_sign = [](Char c) { return has(c, kPunctuation | kSymbol); };
  if (!has(first, kLetter) && !is_sign(first) && !is_line_break(first)) {
    const char* q = run(rest, end, in_word);
    if (q != rest) return q;
  }
  const char* q = run(p, end, in_word);
  if (q != p) return q;
  if ((q = others(p, end, is_sign, is_line_break)) != p) return q;
  return spaces_or_lines(p, end);
}

const char* match_number(const char* p, const char* end) {
  return numbers(p, end, 1);
}

const char* match_numbers(const char* p, const char* end) {
  return numbers(p, end);
}

const char* match_numbers_3(const char* p, const char* end) {
  return numbers(p, end, 3);
}

const char* match_ascii_digits_3(const char* p, const char* end) {
  const char* q = run(
      p, end, [](Char c) { return in(c, '0', '9'); }, 3);
  return q - p == 3 ? q : p;
}

const char* match_line_break(const char* p, const char* end) {
  return run(p, end, is_line_break, 1);
}

const char* match_space_letters(const char* p, const char* end) {
  return space_then(p, end, [](Char c) { return has(c, kLetter); });
}

const char* match_space_punctuation(const char* p, const char* end) {
  return space_then(p, end, [](Char c) { return has(c, kPunctuation); });
}

const char* match_punctuation(const char* p, const char* end) {
  return run(p, end, is_wide_punctuation);
}

const char* match_falcon_punctuation(const char* p, const char* end) {
  return run(p, end, [](Char c) { return is_wide_punctuation(c) || c.code_point == '`'; });
}

const char* match_han_kana(const char* p, const char* end) {
  return run(p, end, [](Char c) { return in(c, 0x4E00, 0x9FA5) || in(c, 0x3040, 0x30FF); });
}

const char* match_east_asian(const char* p, const char* end) {
  return run(p, end, [](Char c) { return in(c, 0x0800, 0x9FA5) || in(c, 0xAC00, 0xD7FF); });
}

}  // namespace confab::engine
