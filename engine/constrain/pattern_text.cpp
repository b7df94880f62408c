// SPDX-License-Identifier: MIT
#include "engine/constrain/pattern_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/error.h"
#include "engine/utf8.h"

namespace confab::engine {
namespace {

CharacterSet one(char32_t c) {
  return {{c, c}};
}

CharacterSet digits() {
  return {{'0', '9'}};
}
CharacterSet word_characters() {
  return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
}
// WhiteSpace and LineTerminator of ECMA-262.
CharacterSet spaces() {
  return {{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
          {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
}
CharacterSet line_ends() {
  return {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};
}

// Reads what follows \p or \P. "General_Category=", "gc=", "Script=" and "sc=" may precede the
// name.
CharacterSet property(PatternText& text, bool is_negated) {
  std::string name;
  if (!text.take('{')) text.fail("\\p needs a name in braces");
  while (!text.take('}')) {
    const char32_t c = text.next();
    if (c == '=')
      name.clear();
    else if (c < 0x80)
      name += static_cast<char>(c);
    else
      text.fail("a property has only ASCII letters in its name");
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kLong{
      {{"Letter", "L"},
       {"Number", "N"},
       {"Punctuation", "P"},
       {"Symbol", "S"},
       {"Mark", "M"},
       {"Separator", "Z"},
       {"digit", "Nd"},
       {"Lowercase_Letter", "Ll"}}};
  for (const auto& [spelt_out, letter] : kLong)
    if (name == spelt_out) name = letter;
  if (name == "ASCII")
    return is_negated ? CharacterSet{{0, 0x7F}}.complement() : CharacterSet{{0, 0x7F}};
  const std::optional<CharacterSet> set = unicode_property(name);
  if (!set) text.fail(fmt::format("no property of characters is called '{}'", name));
  return is_negated ? set->complement() : *set;
}

// Reads the rest of \uXXXX, of a pair of them for a character beyond U+FFFF, or of \u{X...}.
char32_t code_point(PatternText& text) {
  if (text.take('{')) {
    char32_t c = 0;
    while (!text.take('}')) {
      c = 16 * c + text.take_hex(1);
      if (c > 0x10FFFF) text.fail("a character beyond U+10FFFF");
    }
    return c;
  }
  const char32_t high = text.take_hex(4);
  const std::size_t after = text.offset();
  if (high < 0xD800 || high > 0xDBFF || !text.take("\\u")) return high;
  const char32_t low = text.take_hex(4);
  if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10U) + (low - 0xDC00);
  text.back_to(after);
  return high;
}

// The character that an escape stands for, or nullopt if it is not a single character.
std::optional<char32_t> escaped_character(PatternText& text, char32_t c) {
  switch (c) {
    case 'n':
      return U'\n';
    case 'r':
      return U'\r';
    case 't':
      return U'\t';
    case 'f':
      return U'\f';
    case 'v':
      return U'\v';
    case '0':
      return U'\0';
    case 'x':
      return text.take_hex(2);
    case 'u':
      return code_point(text);
    case 'c':
      return text.next() & 0x1FU;
    default:
      break;
  }
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool is_digit = c >= '1' && c <= '9';
  if (is_letter || is_digit) return std::nullopt;
  return c;
}

// Reads an escape after its backslash.
CharacterSet escape(PatternText& text, bool in_class) {
  const char32_t c = text.next();
  switch (c) {
    case 'd':
      return digits();
    case 'D':
      return digits().complement();
    case 'w':
      return word_characters();
    case 'W':
      return word_characters().complement();
    case 's':
      return spaces();
    case 'S':
      return spaces().complement();
    case 'p':
    case 'P':
      return property(text, c == 'P');
    case 'b':
      if (in_class) return one('\b');
      text.fail("\\b is not supported");
    default:
      break;
  }
  const std::optional<char32_t> found = escaped_character(text, c);
  if (!found && c >= '1' && c <= '9') text.fail("a reference back is not supported");
  if (!found) text.fail(fmt::format("\\{} is not supported", static_cast<char>(c)));
  return one(*found);
}

// Reads one member of a class. If it is a single character, it may begin a range.
CharacterSet member(PatternText& text) {
  return text.take('\\') ? escape(text, true) : one(text.next());
}

bool is_single(const CharacterSet& set) {
  return set.ranges().size() == 1 && set.ranges()[0].first == set.ranges()[0].last;
}

// Reads a class after its opening bracket.
CharacterSet bracketed(PatternText& text) {
  const bool is_negated = text.take('^');
  CharacterSet set;
  while (!text.take(']')) {
    if (text.at_end()) text.fail("'[' without ']'");
    const CharacterSet first = member(text);
    const std::size_t after = text.offset();
    if (!is_single(first) || !text.take('-') || text.peek() == ']') {
      text.back_to(after);
      set.add(first);
      continue;
    }
    const CharacterSet last = member(text);
    if (!is_single(last)) {  // in [a-\d] the hyphen is a character
      set.add(first);
      set.add('-', '-');
      set.add(last);
      continue;
    }
    const char32_t from = first.ranges()[0].first, to = last.ranges()[0].first;
    if (to < from) text.fail("a range in [] is out of order");
    set.add(from, to);
  }
  return is_negated ? set.complement() : set;
}

}  // namespace

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

CharacterSet parse_character_set(PatternText& text) {
  if (text.take('\\')) return escape(text, false);
  if (text.take('[')) return bracketed(text);
  if (text.take('.')) return line_ends().complement();
  return one(text.next());
}

}  // namespace confab::engine
