// SPDX-License-Identifier: MIT
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/text/unicode_class.h"

#include <pcre2.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "engine/utf8.h"

namespace confab::engine {
namespace {

// Beyond plane 3, only the variation selectors of plane 14 are in any of these categories.
constexpr char32_t kTableEnd = 0x40000;
constexpr char32_t kFirstSelector = 0xE0100;
constexpr char32_t kLastSelector = 0xE01EF;

// Additions of Unicode 15.1 to the 14.0 of PCRE2 10.42. GGUF files are made for programs that know
// them. Source: UnicodeData.txt 15.1.
struct AddedRange {
  char32_t first, last;
  std::uint8_t char_class;
};
constexpr AddedRange kAdded[] = {{0xCF3, 0xCF3, kMark},       {0xECE, 0xECE, kMark},
                                 {0x2FFC, 0x2FFF, kSymbol},   {0x31EF, 0x31EF, kSymbol},
                                 {0x10EFD, 0x10EFF, kMark},   {0x1123F, 0x11240, kLetter},
                                 {0x11241, 0x11241, kMark},   {0x11B00, 0x11B09, kPunctuation},
                                 {0x11F00, 0x11F01, kMark},   {0x11F02, 0x11F02, kLetter},
                                 {0x11F03, 0x11F03, kMark},   {0x11F04, 0x11F10, kLetter},
                                 {0x11F12, 0x11F33, kLetter}, {0x11F34, 0x11F3A, kMark},
                                 {0x11F3E, 0x11F42, kMark},   {0x11F43, 0x11F4F, kPunctuation},
                                 {0x11F50, 0x11F59, kNumber}, {0x1342F, 0x1342F, kLetter},
                                 {0x13440, 0x13440, kMark},   {0x13441, 0x13446, kLetter},
                                 {0x13447, 0x13455, kMark},   {0x1B132, 0x1B132, kLetter},
                                 {0x1B155, 0x1B155, kLetter}, {0x1D2C0, 0x1D2D3, kNumber},
                                 {0x1DF25, 0x1DF2A, kLetter}, {0x1E030, 0x1E06D, kLetter},
                                 {0x1E08F, 0x1E08F, kMark},   {0x1E4D0, 0x1E4EB, kLetter},
                                 {0x1E4EC, 0x1E4EF, kMark},   {0x1E4F0, 0x1E4F9, kNumber},
                                 {0x1F6DC, 0x1F6DC, kSymbol}, {0x1F774, 0x1F776, kSymbol},
                                 {0x1F77B, 0x1F77F, kSymbol}, {0x1F7D9, 0x1F7D9, kSymbol},
                                 {0x1FA75, 0x1FA77, kSymbol}, {0x1FA87, 0x1FA88, kSymbol},
                                 {0x1FAAD, 0x1FAAF, kSymbol}, {0x1FABB, 0x1FABD, kSymbol},
                                 {0x1FABF, 0x1FABF, kSymbol}, {0x1FACE, 0x1FACF, kSymbol},
                                 {0x1FADA, 0x1FADB, kSymbol}, {0x1FAE8, 0x1FAE8, kSymbol},
                                 {0x1FAF7, 0x1FAF8, kSymbol}, {0x2B739, 0x2B739, kLetter},
                                 {0x2EBF0, 0x2EE5D, kLetter}, {0x31350, 0x323AF, kLetter}};

constexpr bool is_white_space(char32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

constexpr std::uint8_t ascii_class(char c) {
  if (is_white_space(static_cast<unsigned char>(c))) return kSpace;
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return kLetter;
  if (c >= '0' && c <= '9') return kNumber;
  if (std::string_view("$+<=>^`|~").find(c) != std::string_view::npos) return kSymbol;
  return c > ' ' && c < 0x7F ? std::uint8_t{kPunctuation} : std::uint8_t{0};
}

constexpr auto kAsciiClass = [] {
  std::array<std::uint8_t, 128> table{};
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = ascii_class(static_cast<char>(i));
  return table;
}();

struct FreeCode {
  void operator()(pcre2_code* code) const noexcept { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const noexcept { pcre2_match_data_free(match); }
};

std::unique_ptr<pcre2_code, FreeCode> compile(const char* pattern) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  std::unique_ptr<pcre2_code, FreeCode> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED,
                    PCRE2_UTF | PCRE2_NO_UTF_CHECK, &error, &offset, nullptr));
  if (!code) throw std::bad_alloc();  // the pattern is a constant, so only memory can be lacking
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // if this fails, only speed suffers
  return code;
}

// Lets PCRE2 find the runs of each category in a text of all code points.
std::vector<std::uint8_t> build_table() {
  const auto code = compile("(\\p{L}+)|(\\p{N}+)|(\\p{P}+)|(\\p{S}+)|(\\p{M}+)");
  const std::unique_ptr<pcre2_match_data, FreeMatch> match(
      pcre2_match_data_create_from_pattern(code.get(), nullptr));
  if (!match) throw std::bad_alloc();

  std::string text;
  std::vector<char32_t> code_point_at;  // indexed by byte offset in the text
  for (char32_t c = 0x80; c < kTableEnd; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    append_utf8(text, c);
    code_point_at.resize(text.size(), c);
  }

  std::vector<std::uint8_t> table(kTableEnd);
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  const PCRE2_SIZE* ovector = pcre2_get_ovector_pointer(match.get());
  PCRE2_SIZE at = 0;
  int group = 0;
  while ((group = pcre2_match(code.get(), subject, text.size(), at, PCRE2_NO_UTF_CHECK, match.get(),
                              nullptr)) > 1) {
    const auto bit = static_cast<std::uint8_t>(1U << (group - 2));  // kLetter ... kMark
    for (PCRE2_SIZE i = ovector[0]; i < ovector[1]; ++i) table[code_point_at[i]] = bit;
    at = ovector[1];
  }
  for (char32_t c = 0; c <= 0x3000; ++c) {
    if (is_white_space(c)) table[c] = kSpace;
  }
  for (const AddedRange& range : kAdded) {
    for (char32_t c = range.first; c <= range.last; ++c) table[c] = range.char_class;
  }
  return table;
}

bool is_well_formed(std::string_view text) {
  while (!text.empty()) {
    const Utf8Char c = read_utf8_bits(text);
    if (c.code_point >= kNotUtf8 || utf8_size(c.code_point) != c.size) return false;
    text.remove_prefix(c.size);
  }
  return true;
}

}  // namespace

std::uint8_t char_class(char32_t code_point) {
  if (code_point < 0x80) return kAsciiClass[code_point];
  // Built when the first text that is not ASCII arrives. It takes a few milliseconds, which other
  // texts need not pay for.
  static const std::vector<std::uint8_t> table = build_table();
  if (code_point < kTableEnd) return table[code_point];
  const bool selector = code_point >= kFirstSelector && code_point <= kLastSelector;
  return selector ? std::uint8_t{kMark} : std::uint8_t{0};
}

Char read_char(const char* p, const char* end) {
  if (p == end) return {};
  const auto lead = static_cast<unsigned char>(*p);
  if (lead < 0x80) return {lead, kAsciiClass[lead], 1};
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const char32_t c = utf8_bits(p, size);
  return {c, char_class(c), static_cast<std::uint8_t>(size)};
}

std::optional<std::string> repair_utf8(std::string_view text) {
  if (is_well_formed(text)) return std::nullopt;
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const Utf8Char c = read_utf8_bits(text);
    const bool bad = c.code_point >= kNotUtf8;
    append_utf8(out, bad ? 0xFFFD : c.code_point);
    text.remove_prefix(bad ? 1 : c.size);
  }
  return out;
}

}  // namespace confab::engine
