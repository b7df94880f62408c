// SPDX-License-Identifier: MIT
#include "engine/text/pre_matchers.h"

#include "engine/text/pre_chars.h"
#include "engine/text/unicode_class.h"

namespace confab::engine {
namespace {

using namespace pre;

const char* letters(const char* p, const char* end) {
  return run(p, end, [](Char c) { return has(c, kLetter); });
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

//  ?X+T{0,n_trail} with X: accept, T: trail; n_trail < 0: any number.
template <typename Accept, typename Trail>
const char* others(const char* p, const char* end, Accept accept, Trail trail, int n_trail = -1) {
  const char* start = p < end && *p == ' ' ? p + 1 : p;
  const char* q = run(start, end, accept);
  return q == start ? p : run(q, end, trail, n_trail);
}

bool is_break_or_slash(Char c) {
  return is_line_break(c) || c.code_point == '/';
}

// [^\r\n\p{L}\p{N}]?W+
template <typename InWord>
const char* prefixed_word(const char* p, const char* end, InWord in_word) {
  const Char first = read_char(p, end);
  if (is_prefix(first)) {
    const char* q = run(p + first.size, end, in_word);
    if (q != p + first.size) return q;
  }
  return run(p, end, in_word);
}

// The family of GPT-4's first expression (tiktoken's cl100k_base).
struct Cl100k {
  int max_digits = 1;
  int word = kLetter;  // classes, with kLetter
  int n_breaks = -1;   // after what is neither word nor number; < 0: any number
};

const char* match_cl100k(const char* p, const char* end, Cl100k rule) {
  const int word = rule.word;
  const char* q = contraction(p, end, kAnyCase);
  if (q != p) return q;
  q = prefixed_word(p, end, [word](Char c) { return has(c, word); });
  if (q != p) return q;
  if ((q = numbers(p, end, rule.max_digits)) != p) return q;
  const auto other = [word](Char c) { return is_other(c) && !has(c, word); };
  if ((q = others(p, end, other, is_line_break, rule.n_breaks)) != p) return q;
  return spaces_or_lines(p, end);
}

// \p{L}\p{M}* over and over, with or without one space between.
const char* spaced_letters(const char* p, const char* end) {
  const char* q = p;
  for (Char c = read_char(q, end); has(c, kLetter);) {
    q = run(q + c.size, end, [](Char m) { return has(m, kMark); });
    c = read_char(q, end);
    if (c.code_point != ' ') continue;
    const Char after = read_char(q + 1, end);
    if (!has(after, kLetter)) break;
    ++q;
    c = after;
  }
  return q;
}

// U*l+, where U is of the classes `word` but not a-z, and l of them but not A-Z; `rest`: the end of
// U*, whatever comes after it.
const char* upper_then_lower(const char* p, const char* end, int word, const char*& rest) {
  const auto is_upper = [word](Char c) { return has(c, word) && !in(c, 'a', 'z'); };
  const auto is_lower = [word](Char c) { return has(c, word) && !in(c, 'A', 'Z'); };
  const char* after_both = p;  // where l+ may start latest when U* has to give back
  rest = p;
  for (Char c = read_char(p, end); c.size != 0 && is_upper(c); c = read_char(rest, end)) {
    rest += c.size;
    if (is_lower(c)) after_both = rest;
  }
  const char* lower = run(rest, end, is_lower);
  return lower != rest ? lower : after_both;
}

// [^\r\n\p{L}\p{N}]?U*l+|[^\r\n\p{L}\p{N}]?U+l*
const char* cased_word(const char* p, const char* end, int word) {
  const Char first = read_char(p, end);
  const char* start = is_prefix(first) ? p + first.size : p;
  const char* rest = start;
  const char* q = upper_then_lower(start, end, word, rest);
  if (q != start) return q;
  if (start != p && has(first, word)) {  // the prefix is a mark: without it, a word of its own
    const char* ignored = p;
    return upper_then_lower(p, end, word, ignored);
  }
  return rest != start ? rest : p;
}

// The family of GPT-4o's expression (tiktoken's o200k_base) behind its words.
const char* after_o200k_words(const char* p, const char* end, int max_digits) {
  const char* q = numbers(p, end, max_digits);
  if (q != p) return q;
  if ((q = others(p, end, is_other, is_break_or_slash)) != p) return q;
  return spaces_or_lines(p, end);
}

// Words whatever their case.
const char* match_caseless_o200k(const char* p, const char* end, int max_digits) {
  const auto in_word = [](Char c) { return has(c, kLetter | kMark); };
  const char* q = prefixed_word(p, end, in_word);
  return q != p ? contraction(q, end, kAnyCase) : after_o200k_words(p, end, max_digits);
}

// As llama.cpp has it (src/unicode.cpp, unicode_cpt_is_han).
bool is_han(Char c) {
  return in(c, 0x4E00, 0x9FFF) || in(c, 0x3400, 0x4DBF) || in(c, 0x20000, 0x2A6DF) ||
         in(c, 0x2A700, 0x2EBEF) || in(c, 0xF900, 0xFAFF) || in(c, 0x2F800, 0x2FA1F);
}

bool is_ascii_punctuation(Char c) {
  return in(c, '!', '~') && !is_ascii_letter(c) && !in(c, '0', '9');
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
  return match_cl100k(p, end, {.max_digits = 3});
}

const char* match_qwen2(const char* p, const char* end) {
  return match_cl100k(p, end, {});
}

const char* match_qwen35(const char* p, const char* end) {
  return match_cl100k(p, end, {.word = kLetter | kMark});
}

const char* match_seed_coder(const char* p, const char* end) {
  return match_cl100k(p, end, {.n_breaks = 0});
}

const char* match_exaone_moe(const char* p, const char* end) {
  const char* q = contraction(p, end, kAnyCase);
  if (q != p) return q;
  const Char first = read_char(p, end);
  const char* start = is_prefix(first) ? p + first.size : p;
  if ((q = spaced_letters(start, end)) != start) return q;
  if ((q = numbers(p, end, 1)) != p) return q;
  if ((q = others(p, end, is_other, is_break_or_slash, 1)) != p) return q;
  return spaces_or_lines(p, end);
}

const char* match_tekken(const char* p, const char* end) {
  const char* q = cased_word(p, end, kLetter);
  return q != p ? q : after_o200k_words(p, end, 1);
}

const char* match_gpt4o(const char* p, const char* end) {
  const char* q = cased_word(p, end, kLetter);
  return q != p ? contraction(q, end, kAnyCase) : after_o200k_words(p, end, 3);
}

const char* match_gpt4o_marks(const char* p, const char* end) {
  const char* q = cased_word(p, end, kLetter | kMark);
  return q != p ? contraction(q, end, kAnyCase) : after_o200k_words(p, end, 3);
}

const char* match_tiny_aya(const char* p, const char* end) {
  return match_caseless_o200k(p, end, 3);
}

const char* match_youtu(const char* p, const char* end) {
  return match_caseless_o200k(p, end, 1);
}

const char* match_kimi_k2(const char* p, const char* end) {
  const char* q = run(p, end, is_han);
  if (q != p) return q;
  q = prefixed_word(p, end, [](Char c) { return has(c, kLetter) && !is_han(c); });
  if (q != p) return contraction(q, end, kAnyCase);
  if ((q = numbers(p, end, 3)) != p) return q;
  if ((q = others(p, end, is_other, is_line_break)) != p) return q;
  return spaces_or_lines(p, end);
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

}  // namespace confab::engine
