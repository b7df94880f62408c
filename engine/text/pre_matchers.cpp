// SPDX-License-Identifier: MIT
#include "engine/text/pre_matchers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "engine/text/pre_chars.h"
#include "engine/text/unicode_class.h"

namespace confab::engine {
namespace {

using namespace pre;

const char* letters(const char* p, const char* end) {
  return run(p, end, [](Char c) { return has(c, kLetter); });
}

// 's|'t|'re|'ve|'m|'ll|'d; `fold` is or-ed into each letter before comparing.
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

// ?X+T{0,n_trail}, where `accept` matches X and `trail` matches T; n_trail < 0: any number.
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

// The expressions derived from GPT-4's (tiktoken's cl100k_base).
struct Cl100k {
  int max_digits = 1;
  int word = kLetter;  // classes of word characters; must include kLetter
  int n_breaks = -1;   // after characters that are neither word nor number; < 0: any number
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

// One or more \p{L}\p{M}*, each optionally separated by a single space.
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

// U*l+, where U has one of the classes `word` but is not a-z, and l likewise but not A-Z. `rest`
// becomes the end of U*, whatever follows it.
const char* upper_then_lower(const char* p, const char* end, int word, const char*& rest) {
  const auto is_upper = [word](Char c) { return has(c, word) && !in(c, 'a', 'z'); };
  const auto is_lower = [word](Char c) { return has(c, word) && !in(c, 'A', 'Z'); };
  const char* after_both = p;  // latest start of l+ when U* has to backtrack
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
  if (start != p && has(first, word)) {  // the prefix is a mark, so it may also be part of the word
    const char* ignored = p;
    return upper_then_lower(p, end, word, ignored);
  }
  return rest != start ? rest : p;
}

// The part after the words in the expressions derived from GPT-4o's (tiktoken's o200k_base).
const char* after_o200k_words(const char* p, const char* end, int max_digits) {
  const char* q = numbers(p, end, max_digits);
  if (q != p) return q;
  if ((q = others(p, end, is_other, is_break_or_slash)) != p) return q;
  return spaces_or_lines(p, end);
}

// Words of any case.
const char* match_caseless_o200k(const char* p, const char* end, int max_digits) {
  const auto in_word = [](Char c) { return has(c, kLetter | kMark); };
  const char* q = prefixed_word(p, end, in_word);
  return q != p ? contraction(q, end, kAnyCase) : after_o200k_words(p, end, max_digits);
}

// The ranges are llama.cpp's (src/unicode.cpp, unicode_cpt_is_han).
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

namespace {

struct CharRange {
  std::uint32_t first, last;
};

// The letters listed in DeepSeek LLM's tokenizer.json: cased letters of an older Unicode version.
constexpr CharRange kCasedLetters[] = {
    {'A', 'Z'},         {'a', 'z'},         {0xB5, 0xB5},       {0xC0, 0xD6},
    {0xD8, 0xF6},       {0xF8, 0x1BA},      {0x1BC, 0x1BF},     {0x1C4, 0x293},
    {0x295, 0x2AF},     {0x370, 0x373},     {0x376, 0x377},     {0x37B, 0x37D},
    {0x37F, 0x37F},     {0x386, 0x386},     {0x388, 0x38A},     {0x38C, 0x38C},
    {0x38E, 0x3A1},     {0x3A3, 0x3F5},     {0x3F7, 0x481},     {0x48A, 0x52F},
    {0x531, 0x556},     {0x10A0, 0x10C5},   {0x13A0, 0x13F5},   {0x13F8, 0x13FD},
    {0x1C90, 0x1CBA},   {0x1CBD, 0x1CBF},   {0x1D00, 0x1D2B},   {0x1D6B, 0x1D77},
    {0x1D79, 0x1D9A},   {0x1E00, 0x1F15},   {0x1F18, 0x1F1D},   {0x1F20, 0x1F45},
    {0x1F48, 0x1F4D},   {0x1F50, 0x1F57},   {0x1F59, 0x1F59},   {0x1F5B, 0x1F5B},
    {0x1F5D, 0x1F5D},   {0x1F5F, 0x1F7D},   {0x1F80, 0x1FB4},   {0x1FB6, 0x1FBC},
    {0x1FBE, 0x1FBE},   {0x1FC2, 0x1FC4},   {0x1FC6, 0x1FCC},   {0x1FD0, 0x1FD3},
    {0x1FD6, 0x1FDB},   {0x1FE0, 0x1FEC},   {0x1FF2, 0x1FF4},   {0x1FF6, 0x1FFC},
    {0x2102, 0x2102},   {0x2107, 0x2107},   {0x210A, 0x2113},   {0x2115, 0x2115},
    {0x2119, 0x211D},   {0x2124, 0x2124},   {0x2126, 0x2126},   {0x2128, 0x2128},
    {0x212A, 0x212D},   {0x212F, 0x2134},   {0x2139, 0x2139},   {0x213C, 0x213F},
    {0x2145, 0x2149},   {0x214E, 0x214E},   {0x2183, 0x2184},   {0x2C00, 0x2C7B},
    {0x2C7E, 0x2CE4},   {0x2CEB, 0x2CEE},   {0x2CF2, 0x2CF3},   {0xA640, 0xA66D},
    {0xA680, 0xA69B},   {0xA722, 0xA76F},   {0xA771, 0xA787},   {0xA78B, 0xA78E},
    {0xAB70, 0xABBF},   {0xFB00, 0xFB06},   {0xFB13, 0xFB17},   {0xFF21, 0xFF3A},
    {0xFF41, 0xFF5A},   {0x10400, 0x1044F}, {0x104B0, 0x104D3}, {0x104D8, 0x104FB},
    {0x10C80, 0x10CB2}, {0x10CC0, 0x10CF2}, {0x118A0, 0x118DF}, {0x1E900, 0x1E943},
};

bool is_cased_letter(Char c) {
  const auto* range =
      std::partition_point(std::begin(kCasedLetters), std::end(kCasedLetters),
                           [&](const CharRange& r) { return r.last < c.code_point; });
  return range != std::end(kCasedLetters) && range->first <= c.code_point;
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

bool is_han_or_kana(Char c) {
  return in(c, 0x4E00, 0x9FA5) || in(c, 0x3040, 0x30FF);
}

bool is_youtu_punctuation(Char c) {
  constexpr std::u32string_view kSigns = U"！…“”‘’—：；，";
  return kSigns.find(c.code_point) != kSigns.npos || in(c, 0x3001, 0x303F) || in(c, 0xFE30, 0xFE4F);
}

// The range begins at 0x8C48: the list says U+F900, which normalisation has turned into U+8C48 in
// llama.cpp.
bool is_afmoe_letter(Char c) {
  return in(c, 0x8C48, 0xFAFF) || in(c, 0x4E00, 0x9FFF) || in(c, 0x3400, 0x4DBF) ||
         in(c, 0x3040, 0x30FF) || in(c, 0xFF65, 0xFF9F) || in(c, 0x2F00, 0x2FDF) ||
         in(c, 0x0E40, 0x0EFF) || in(c, 0x1000, 0x109F) || in(c, 0x1100, 0x11FF) ||
         in(c, 0x1780, 0x17FF);
}

bool ends_sentence_part(Char c) {
  constexpr std::u32string_view kSigns = U"(|.,!?…。，、।۔،)";
  return has(c, kSpace) || kSigns.find(c.code_point) != kSigns.npos;
}

const char* skip_text(const char* p, const char* end, std::string_view text) {
  const std::string_view rest(p, static_cast<std::size_t>(end - p));
  return rest.starts_with(text) ? p + text.size() : p;
}

}  // namespace

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

const char* match_line(const char* p, const char* end) {
  const bool is_break = *p == '\n';
  return std::find_if(p, end, [is_break](char c) { return (c == '\n') != is_break; });
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
  return run(p, end, is_han_or_kana);
}

const char* match_east_asian(const char* p, const char* end) {
  return run(p, end, [](Char c) {
    return !has(c, kSpace) && (in(c, 0x0800, 0x9FA5) || in(c, 0xAC00, 0xD7FF));
  });
}

const char* match_space_cased_letters(const char* p, const char* end) {
  return space_then(p, end, is_cased_letter);
}

const char* match_space_signs(const char* p, const char* end) {
  return space_then(p, end, [](Char c) {
    return in(c, '!', '/') || in(c, ':', '~') || in(c, 0xFF01, 0xFF0F) || in(c, 0xFF1A, 0xFF5E) ||
           in(c, 0x2018, 0x201F) || in(c, 0x3001, 0x3002);
  });
}

const char* match_bloom(const char* p, const char* end) {
  const char* start = *p == ' ' ? p + 1 : p;
  const char* q = run(start, end, [](Char c) { return !ends_sentence_part(c); });
  return q == start ? p : q;
}

const char* match_youtu_scripts(const char* p, const char* end) {
  const char* q =
      run(p, end, [](Char c) { return in(c, 0xAC00, 0xD7A3) || in(c, 0x3131, 0x318E); });
  if (q != p) return q;
  if ((q = run(p, end, is_youtu_punctuation)) != p) return q;
  if ((q = run(p, end, [](Char c) { return in(c, 0x3105, 0x312F); })) != p) return q;
  return run(p, end, is_han_or_kana);
}

const char* match_afmoe_scripts(const char* p, const char* end) {
  return run(p, end, is_afmoe_letter);
}

const char* match_jais2_spaces(const char* p, const char* end) {
  constexpr int kLongest = 512;
  const auto is_space = [](Char c) { return has(c, kSpace); };
  if (end[-1] == '\n' || end[-1] == '\r') return p;
  int n = 0;
  for (const char* q = p; n < kLongest && q < end; ++n) {
    const Char c = read_char(q, end);
    if (!is_space(c)) break;
    q += c.size;
  }
  if (n < 2) return p;
  int taken = kLongest;
  while (taken > n) taken /= 2;
  return run(p, end, is_space, taken);
}

const char* match_sentinel(const char* p, const char* end) {
  const char* digits = skip_text(p, end, "<sentinel:");
  if (digits == p) return p;
  const char* q = run(digits, end, [](Char c) { return in(c, '0', '9'); });
  return q != digits && q != end && *q == '>' ? q + 1 : p;
}

const char* match_image(const char* p, const char* end) {
  const char* code = skip_text(p, end, "IMGIMG");
  if (code == p) return p;
  const char* q = run(
      code, end, [](Char c) { return in(c, 'A', 'I'); }, 4);
  return q != code && q != end && *q == 'Z' ? q + 1 : p;
}

const char* match_indent(const char* p, const char* end) {
  if (*p == '\t' || *p == '\n') return p + 1;
  const char* four = skip_text(p, end, "    ");
  return four != p ? four : skip_text(p, end, "  ");
}

const char* match_one_punctuation(const char* p, const char* end) {
  const Char c = read_char(p, end);
  const bool matches = has(c, kPunctuation) || (c.code_point < 0x80 && has(c, kSymbol));
  return matches ? p + c.size : p;
}

}  // namespace confab::engine
