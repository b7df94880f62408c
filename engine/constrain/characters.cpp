// SPDX-License-Identifier: MIT
#include "engine/constrain/characters.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "engine/utf8.h"

namespace confab::engine {
namespace {

constexpr char32_t kLast = 0x10FFFF;
constexpr char32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;
constexpr char32_t kBeforeSurrogates = 0xD7FF, kAfterSurrogates = 0xE000;

std::string encoded(char32_t c) {
  std::string bytes;
  append_utf8(bytes, c);
  return bytes;
}

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

// The UTF-8 sequences from `first` to `last`, which have the same length.
RegexId of_one_length(RegexSet& regexes, std::string_view first, std::string_view last) {
  if (first.empty()) return RegexSet::kEmpty;
  const std::uint8_t a = byte_at(first, 0), b = byte_at(last, 0);
  const std::string_view rest_a = first.substr(1), rest_b = last.substr(1);
  const std::string lowest(rest_a.size(), '\x80'), highest(rest_a.size(), '\xBF');
  const auto from = [&](std::uint8_t x, std::uint8_t y, std::string_view p, std::string_view q) {
    return regexes.concat(regexes.bytes(ByteSet::range(x, y)), of_one_length(regexes, p, q));
  };
  if (a == b) return from(a, b, rest_a, rest_b);
  std::vector<RegexId> parts;
  auto whole_from = a, whole_to = b;
  if (rest_a != lowest) {
    parts.push_back(from(a, a, rest_a, highest));
    ++whole_from;
  }
  if (rest_b != highest) {
    parts.push_back(from(b, b, lowest, rest_b));
    --whole_to;
  }
  if (whole_from <= whole_to) parts.push_back(from(whole_from, whole_to, lowest, highest));
  return regexes.either(std::move(parts));
}

RegexId utf8_range(RegexSet& regexes, CharacterSet::Range range) {
  std::vector<RegexId> parts;
  for (const char32_t last : {char32_t{0x7F}, char32_t{0x7FF}, char32_t{0xFFFF}, kLast}) {
    if (range.first > last) continue;
    const char32_t end = std::min(range.last, last);
    if (range.first <= end)
      parts.push_back(of_one_length(regexes, encoded(range.first), encoded(end)));
    range.first = last + 1;
    if (range.first > range.last) break;
  }
  return regexes.either(std::move(parts));
}

RegexId hex_digits(RegexSet& regexes, std::string_view digits) {
  RegexId all = RegexSet::kEmpty;
  for (std::size_t i = digits.size(); i > 0; --i) {
    const auto lower = byte_at(digits, i - 1);
    ByteSet either = ByteSet::of(lower);
    if (lower >= 'a') either.add(static_cast<std::uint8_t>(lower - 'a' + 'A'));
    all = regexes.concat(regexes.bytes(either), all);
  }
  return all;
}

// A character that JSON must escape: its short form if it has one, otherwise \u00xx.
RegexId escaped(RegexSet& regexes, char32_t c) {
  constexpr std::array<std::pair<char32_t, char>, 7> kShort{
      {{'"', '"'}, {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}}};
  const auto* found = std::ranges::find(kShort, c, &std::pair<char32_t, char>::first);
  if (found != kShort.end()) return regexes.literal(std::string{'\\', found->second});
  return regexes.concat(regexes.literal("\\u"), hex_digits(regexes, fmt::format("{:04x}", +c)));
}

bool must_be_escaped(char32_t c) {
  return c < 0x20 || c == '"' || c == '\\';
}

}  // namespace

CharacterSet::CharacterSet(std::initializer_list<Range> ranges)
    : ranges_(ranges), is_tidy_(false) {}

void CharacterSet::add(char32_t first, char32_t last) {
  ranges_.push_back({first, last});
  is_tidy_ = false;
}

void CharacterSet::add(const CharacterSet& other) {
  ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  is_tidy_ = false;
}

void CharacterSet::tidy() const {
  is_tidy_ = true;
  std::ranges::sort(ranges_, {}, &Range::first);
  std::vector<Range> merged;
  for (const Range& range : ranges_) {
    if (!merged.empty() && range.first <= merged.back().last + 1)
      merged.back().last = std::max(merged.back().last, range.last);
    else
      merged.push_back(range);
  }
  ranges_.clear();
  for (const auto& [first, last] : merged) {
    if (first < kFirstSurrogate) ranges_.push_back({first, std::min(last, kBeforeSurrogates)});
    if (last > kLastSurrogate) ranges_.push_back({std::max(first, kAfterSurrogates), last});
  }
}

CharacterSet CharacterSet::complement() const {
  CharacterSet rest;
  char32_t next = 0;
  for (const Range& range : ranges()) {
    if (range.first > next) rest.ranges_.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLast) rest.ranges_.push_back({next, kLast});
  rest.is_tidy_ = false;
  return rest;
}

// Searches one text of all characters for runs that have the property.
std::optional<CharacterSet> unicode_property(std::string_view name) {
  static const std::string all = [] {
    std::string text;
    for (char32_t c = 0; c <= kLast; ++c)
      if (c < kFirstSurrogate || c > kLastSurrogate) append_utf8(text, c);
    return text;
  }();
  const std::string pattern = fmt::format("\\p{{{}}}+", name);
  int fault = 0;
  PCRE2_SIZE at = 0;
  const std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF, &fault,
                    &at, nullptr),
      pcre2_code_free);
  if (!code) return std::nullopt;
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
      pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
  CharacterSet set;
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(all.data());
  std::vector<CharacterSet::Range> found;
  for (PCRE2_SIZE from = 0; pcre2_match(code.get(), subject, all.size(), from, PCRE2_NO_UTF_CHECK,
                                        match.get(), nullptr) > 0;) {
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    from = ends[1];
    PCRE2_SIZE last = ends[1] - 1;
    while ((byte_at(all, last) & 0xC0U) == 0x80) --last;
    found.push_back({read_utf8(std::string_view(all).substr(ends[0])).code_point,
                     read_utf8(std::string_view(all).substr(last)).code_point});
  }
  for (const auto& [first, last] : found) set.add(first, last);
  return set;
}

RegexId characters(RegexSet& regexes, const CharacterSet& set, TextForm form) {
  std::vector<RegexId> parts;
  CharacterSet as_they_are;
  for (const auto& [first, last] : set.ranges()) {
    char32_t from = first;
    for (char32_t c = first; form == TextForm::json && c <= last && c <= '\\'; ++c) {
      if (!must_be_escaped(c)) continue;
      if (from < c) as_they_are.add(from, c - 1);
      parts.push_back(escaped(regexes, c));
      from = c + 1;
    }
    if (from <= last) as_they_are.add(from, last);
  }
  for (const auto& range : as_they_are.ranges()) parts.push_back(utf8_range(regexes, range));
  return regexes.either(std::move(parts));
}

RegexId text_literal(RegexSet& regexes, std::string_view utf8, TextForm form) {
  if (form == TextForm::plain) return regexes.literal(utf8);
  std::vector<RegexId> parts;
  while (!utf8.empty()) {
    const Utf8Char c = read_utf8(utf8);
    parts.push_back(must_be_escaped(c.code_point) ? escaped(regexes, c.code_point)
                                                  : regexes.literal(utf8.substr(0, c.size)));
    utf8.remove_prefix(c.size);
  }
  RegexId all = RegexSet::kEmpty;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) all = regexes.concat(*part, all);
  return all;
}

RegexId json_plain_character(RegexSet& regexes) {
  return characters(regexes, CharacterSet{}.complement(), TextForm::json);
}

RegexId json_character(RegexSet& regexes) {
  const auto set = [&](std::string_view bytes) {
    ByteSet of;
    for (const char c : bytes) of.add(static_cast<std::uint8_t>(c));
    return regexes.bytes(of);
  };
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  const RegexId hex = set(kHex), two = regexes.concat(hex, hex);
  // A surrogate pair is D800 to DBFF, then DC00 to DFFF. `whole` is every other code unit.
  const RegexId high = regexes.concat({set("dD"), set("89abAB"), two});
  const RegexId low = regexes.concat({set("dD"), set("cdefCDEF"), two});
  const RegexId whole = regexes.either({regexes.concat({set("0123456789abcefABCEF"), hex, two}),
                                        regexes.concat({set("dD"), set("01234567"), two})});
  const RegexId pair = regexes.concat({high, regexes.literal("\\u"), low});
  const RegexId by_number = regexes.concat(set("u"), regexes.either({whole, pair}));
  const RegexId escape = regexes.concat(set("\\"), regexes.either({set("\"\\/bfnrt"), by_number}));
  CharacterSet plain{{0x20, '"' - 1}, {'"' + 1, '\\' - 1}, {'\\' + 1, kLast}};
  return regexes.either({characters(regexes, plain, TextForm::plain), escape});
}

}  // namespace confab::engine
