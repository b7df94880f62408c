// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/unicode.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <memory>

namespace confab::engine::jinja {
namespace {

struct FreeCode {
  void operator()(pcre2_code* code) const noexcept { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* data) const noexcept { pcre2_match_data_free(data); }
};
using Code = std::unique_ptr<pcre2_code, FreeCode>;

PCRE2_SPTR units(std::string_view s) {
  return reinterpret_cast<PCRE2_SPTR>(s.data());
}

Code compile(std::string_view pattern) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  return Code(pcre2_compile(units(pattern), pattern.size(), PCRE2_UTF | PCRE2_UCP, &error, &offset,
                            nullptr));
}

bool is_utf8(std::string_view s) noexcept {
  for (std::size_t pos = 0; pos < s.size(); pos = char_end(s, pos)) {
    if (decode(s, pos) == kNotUtf8) return false;
  }
  return true;
}

// PCRE2 has no call that maps the case of a string, but its substitutions do.
std::string map_case(std::string_view s, std::string_view replacement) {
  static const Code kAll = compile("(?s).+");
  if (kAll == nullptr || !is_utf8(s)) return std::string(s);
  std::string out(s.size() * 2 + 16, '\0');
  PCRE2_SIZE length = out.size();
  const int n = pcre2_substitute(kAll.get(), units(s), s.size(), 0, PCRE2_SUBSTITUTE_EXTENDED,
                                 nullptr, nullptr, units(replacement), replacement.size(),
                                 reinterpret_cast<PCRE2_UCHAR*>(out.data()), &length);
  if (n < 0) return std::string(s);
  out.resize(length);
  return out;
}

}  // namespace

bool is_ascii(std::string_view s) noexcept {
  return std::none_of(s.begin(), s.end(), [](char c) { return (c & 0x80) != 0; });
}

char32_t decode(std::string_view s, std::size_t pos) noexcept {
  return read_utf8(s.substr(pos)).code_point;
}

std::size_t char_end(std::string_view s, std::size_t pos) noexcept {
  const Utf8Char c = read_utf8(s.substr(pos));
  return pos + (c.code_point == kNotUtf8 ? 1 : c.size);
}

std::size_t char_begin(std::string_view s, std::size_t end) noexcept {
  // Starts at the farthest position. From the near side, the last byte of a character would be
  // taken for a stray byte.
  std::size_t begin = end < 4 ? 0 : end - 4;
  while (char_end(s, begin) != end) ++begin;
  return begin;
}

std::size_t count_chars(std::string_view s) noexcept {
  std::size_t n = 0;
  for (std::size_t pos = 0; pos < s.size(); pos = char_end(s, pos)) ++n;
  return n;
}

std::size_t char_offset(std::string_view s, std::size_t index) noexcept {
  std::size_t pos = 0;
  for (; index > 0 && pos < s.size(); --index) pos = char_end(s, pos);
  return pos;
}

void append_utf8(std::string& out, char32_t c) {
  const bool is_character = c <= 0x10FFFF && (c < 0xD800 || c >= 0xE000);
  engine::append_utf8(out, is_character ? c : 0xFFFD);
}

bool is_space(char32_t c) noexcept {
  if (c <= 0x20) return c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_line_break(char32_t c) noexcept {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

std::size_t space_end(std::string_view s) noexcept {
  std::size_t pos = 0;
  while (pos < s.size() && is_space(decode(s, pos))) pos = char_end(s, pos);
  return pos;
}

std::size_t trailing_space_begin(std::string_view s) noexcept {
  std::size_t end = s.size();
  while (end > 0) {
    const std::size_t begin = char_begin(s, end);
    if (!is_space(decode(s, begin))) break;
    end = begin;
  }
  return end;
}

std::string to_upper(std::string_view s) {
  if (!is_ascii(s)) {
    std::string spelled;
    for (std::size_t pos = 0; pos < s.size();) {
      const std::size_t next = char_end(s, pos);
      spelled += decode(s, pos) == 0xDF ? std::string_view("SS") : s.substr(pos, next - pos);
      pos = next;
    }
    return map_case(spelled, "\\U$0");
  }
  std::string out(s);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string to_lower(std::string_view s) {
  if (!is_ascii(s)) return map_case(s, "\\L$0");
  std::string out(s);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string to_title(std::string_view character) {
  return !character.empty() && decode(character, 0) == 0xDF ? "Ss" : to_upper(character);
}

std::optional<bool> ascii_class(std::string_view character, CharClass char_class) noexcept {
  if (character.size() != 1 || (character[0] & 0x80) != 0) return std::nullopt;
  const char c = character[0];
  const bool is_upper = c >= 'A' && c <= 'Z', is_lower = c >= 'a' && c <= 'z';
  const bool is_digit = c >= '0' && c <= '9';
  switch (char_class) {
    case CharClass::alpha:
      return is_upper || is_lower;
    case CharClass::digit:
    case CharClass::decimal:
    case CharClass::numeric:
      return is_digit;
    case CharClass::alnum:
      return is_upper || is_lower || is_digit;
    case CharClass::upper:
      return is_upper;
    case CharClass::lower:
      return is_lower;
    case CharClass::printable:
      break;
  }
  return c >= 0x20 && c < 0x7F;
}

bool all_of_class(std::string_view s, CharClass char_class) {
  static const std::array<Code, 8> kPatterns = {
      compile("\\A\\p{L}++\\z"),
      compile("\\A[\\p{Nd}\\x{B2}\\x{B3}\\x{B9}\\x{2070}-\\x{2089}]++\\z"),
      compile("\\A\\p{Nd}++\\z"),
      compile("\\A\\p{N}++\\z"),
      compile("\\A[\\p{L}\\p{N}]++\\z"),
      compile("\\A[^\\p{Lu}\\p{Ll}\\p{Lt}]*+\\p{Lu}[^\\p{Ll}\\p{Lt}]*+\\z"),
      compile("\\A[^\\p{Lu}\\p{Ll}\\p{Lt}]*+\\p{Ll}[^\\p{Lu}\\p{Lt}]*+\\z"),
      compile("\\A(?:[^\\p{C}\\p{Z}]| )++\\z")};
  const Code& code = kPatterns[static_cast<std::size_t>(char_class)];
  if (code == nullptr || s.empty() || !is_utf8(s)) return false;
  const std::unique_ptr<pcre2_match_data, FreeMatch> data(
      pcre2_match_data_create_from_pattern(code.get(), nullptr));
  return pcre2_match(code.get(), units(s), s.size(), 0, 0, data.get(), nullptr) > 0;
}

}  // namespace confab::engine::jinja
