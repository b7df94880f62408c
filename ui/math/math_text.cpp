// SPDX-License-Identifier: MIT
#include "ui/math/math_text.h"

#include <algorithm>
#include <array>
#include <span>

#include "ui/math/math_symbols.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

// Letters that Unicode had before the block of their alphabet (Mathematical Alphanumeric Symbols).
struct Exception {
  char letter;
  char32_t code_point;
};
constexpr std::array<Exception, 7> kDoubleStruck = {{{'C', 0x2102},
                                                     {'H', 0x210d},
                                                     {'N', 0x2115},
                                                     {'P', 0x2119},
                                                     {'Q', 0x211a},
                                                     {'R', 0x211d},
                                                     {'Z', 0x2124}}};
constexpr std::array<Exception, 11> kScript = {{{'B', 0x212c},
                                                {'E', 0x2130},
                                                {'F', 0x2131},
                                                {'H', 0x210b},
                                                {'I', 0x2110},
                                                {'L', 0x2112},
                                                {'M', 0x2133},
                                                {'R', 0x211b},
                                                {'e', 0x212f},
                                                {'g', 0x210a},
                                                {'o', 0x2134}}};
constexpr std::array<Exception, 5> kFraktur = {
    {{'C', 0x212d}, {'H', 0x210c}, {'I', 0x2111}, {'R', 0x211c}, {'Z', 0x2128}}};

struct Alphabet {
  std::string_view command;
  char32_t capital_a, small_a, zero;  // 0: none
  std::span<const Exception> exceptions;
};
const std::array<Alphabet, 7> kAlphabets = {{
    {"mathbb", 0x1d538, 0x1d552, 0x1d7d8, kDoubleStruck},
    {"mathcal", 0x1d49c, 0x1d4b6, 0, kScript},
    {"mathscr", 0x1d49c, 0x1d4b6, 0, kScript},
    {"mathfrak", 0x1d504, 0x1d51e, 0, kFraktur},
    {"mathbf", 0x1d400, 0x1d41a, 0x1d7ce, {}},
    {"boldsymbol", 0x1d400, 0x1d41a, 0x1d7ce, {}},
    {"bm", 0x1d400, 0x1d41a, 0x1d7ce, {}},
}};

std::string letter(const Alphabet& alphabet, char c) {
  for (const Exception& exception : alphabet.exceptions)
    if (exception.letter == c) return to_utf8(exception.code_point);
  const auto from = [c](char32_t base, char first) {
    return to_utf8(base + static_cast<char32_t>(c - first));
  };
  if (c >= 'A' && c <= 'Z') return from(alphabet.capital_a, 'A');
  if (c >= 'a' && c <= 'z') return from(alphabet.small_a, 'a');
  if (c >= '0' && c <= '9' && alphabet.zero != 0) return from(alphabet.zero, '0');
  return std::string(1, c);
}

struct Accent {
  std::string_view command;
  std::string_view combining;
  bool line = false;  // over or under each character
};
constexpr std::array<Accent, 18> kAccents = {{
    {"hat", "\u0302"},
    {"widehat", "\u0302"},
    {"bar", "\u0304"},
    {"tilde", "\u0303"},
    {"widetilde", "\u0303"},
    {"vec", "\u20d7"},
    {"overrightarrow", "\u20d7"},
    {"dot", "\u0307"},
    {"ddot", "\u0308"},
    {"dddot", "\u20db"},
    {"check", "\u030c"},
    {"breve", "\u0306"},
    {"acute", "\u0301"},
    {"grave", "\u0300"},
    {"mathring", "\u030a"},
    {"overline", "\u0305", true},
    {"underline", "\u0332", true},
    {"not", "\u0338"},
}};

const Accent* find_accent(std::string_view command) {
  const auto* const found = std::ranges::find(kAccents, command, &Accent::command);
  return found == kAccents.end() ? nullptr : found;
}

bool is_one_character(std::string_view text) {
  return next_grapheme(text).bytes.size() == text.size();
}

// How a text may stand in a fraction or under a root: without parentheses (atom), in some places
// (compact), or only in parentheses (loose).
enum class Shape : unsigned char { atom, compact, loose };

Shape shape(std::string_view text) {
  if (text.empty()) return Shape::loose;
  if (text.find_first_of(" +=<>/,;:&*") != std::string_view::npos) return Shape::loose;
  for (const std::string_view mark : {"−", "⁄", "·", "×", "±"})
    if (text.find(mark) != std::string_view::npos) return Shape::loose;
  const bool marked = text.find_first_of("()[]{}|^_!") != std::string_view::npos ||
                      text.find("√") != std::string_view::npos;
  return marked ? Shape::compact : Shape::atom;
}

// Whether the text is a number followed by a factor.
bool is_product(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  return end > 0 && end != std::string_view::npos;
}

// Whether the text cannot be read as a product.
bool is_bare(std::string_view text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string_view::npos;
  return !text.empty() && (is_one_character(text) || digits);
}

std::string parenthesised(std::string_view text) {
  return '(' + std::string(text) + ')';
}

std::string script(std::string_view text, std::string_view (*find)(std::string_view), char mark) {
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = next_grapheme(rest).bytes;
    const std::string_view form = find(character);
    if (form.empty()) {
      const bool one = is_one_character(text);
      return mark + (one ? std::string(text) : parenthesised(text));
    }
    out += form;
    rest.remove_prefix(character.size());
  }
  return out;
}

}  // namespace

std::string in_alphabet(std::string_view command, std::string_view text) {
  const auto* const alphabet = std::ranges::find(kAlphabets, command, &Alphabet::command);
  if (alphabet == kAlphabets.end()) return std::string(text);
  std::string out;
  for (const char c : text) out += letter(*alphabet, c);
  return out;
}

std::string_view combining_accent(std::string_view command) {
  const Accent* accent = find_accent(command);
  return accent == nullptr ? std::string_view() : accent->combining;
}

std::string accented(std::string_view command, std::string_view text) {
  const Accent* accent = find_accent(command);
  if (accent == nullptr || text.empty()) return std::string(text);
  if (!accent->line && !is_one_character(text))
    return parenthesised(text) + std::string(accent->combining);
  std::string out;
  while (!text.empty()) {
    const std::string_view character = next_grapheme(text).bytes;
    out += character;
    out += accent->combining;
    text.remove_prefix(character.size());
  }
  return out;
}

std::string raised(std::string_view text) {
  return script(text, superscript, '^');
}
std::string lowered(std::string_view text) {
  return script(text, subscript, '_');
}

std::string fraction(std::string_view top, std::string_view bottom) {
  const Shape above = shape(top), below = shape(bottom);
  std::string out = above == Shape::loose ? parenthesised(top) : std::string(top);
  if (above == Shape::atom && below == Shape::atom && !is_product(bottom))
    return out + "⁄" + std::string(bottom);
  const bool bare = is_bare(bottom) || below == Shape::compact;
  return out + '/' + (bare ? std::string(bottom) : parenthesised(bottom));
}

std::string root(std::string_view degree, std::string_view text) {
  std::string sign = "√";
  if (degree == "3")
    sign = "∛";
  else if (degree == "4")
    sign = "∜";
  else if (!degree.empty())
    sign = raised(degree) + sign;
  return sign + (is_bare(text) ? std::string(text) : parenthesised(text));
}

std::string plain_text(std::string_view tex) {
  std::string out;
  for (std::size_t i = 0; i < tex.size(); ++i) {
    char c = tex[i];
    if (c == '$' || c == '{' || c == '}') continue;
    if (c == '~') c = ' ';
    if (c == '\\' && i + 1 < tex.size()) c = tex[++i];
    out += c == '\n' || c == '\t' ? ' ' : c;
  }
  return out;
}

}  // namespace confab::ui
