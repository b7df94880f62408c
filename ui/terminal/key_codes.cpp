// SPDX-License-Identifier: MIT
#include "ui/terminal/key_codes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ui/text.h"

namespace confab::ui {
namespace {

using Code = Key::Code;

constexpr char kEsc = '\x1b';

// The control character that Ctrl makes of a character on VT220 keyboards. nullopt: none.
std::optional<char> control_byte(int code) {
  if (code >= '@' && code < 0x7F) return static_cast<char>(code & 0x1F);
  if (code == ' ' || code == '2') return '\0';
  if (code >= '3' && code <= '7') return static_cast<char>(0x1B + code - '3');
  if (code == '8' || code == '?') return '\x7f';
  if (code == '/') return '\x1f';
  return std::nullopt;
}

// The keypad's keys, from 0 on.
constexpr int kKeypad = 57399;
constexpr std::string_view kKeypadText = "0123456789./*-+\r=,";
constexpr int kKeypadMoves = 57417;
constexpr std::array<Code, 10> kKeypadMoveCodes = {
    Code::left,      Code::right, Code::up,  Code::down,   Code::page_up,
    Code::page_down, Code::home,  Code::end, Code::insert, Code::del};

Key unmodified_key(int code) {
  const bool control = code == '\r' || code == '\t' || code == kEsc || code == 0x7F;
  if (control) return control_key(static_cast<char>(code));
  if (code == '\b') return control_key('\x7f');  // mlterm's code for Backspace
  if (code >= kKeypadMoves && code < kKeypadMoves + static_cast<int>(kKeypadMoveCodes.size())) {
    return {.code = kKeypadMoveCodes[static_cast<std::size_t>(code - kKeypadMoves)]};
  }
  if (code >= kKeypad && code < kKeypadMoves)
    return unmodified_key(kKeypadText[static_cast<std::size_t>(code - kKeypad)]);
  // Private use: keys without a character, for example media keys.
  constexpr int kFirstPrivate = 0xE000, kLastPrivate = 0xF8FF;
  if (!is_text(static_cast<char32_t>(code)) || (code >= kFirstPrivate && code <= kLastPrivate))
    return {.code = Code::unknown};
  return text_key(static_cast<char32_t>(code));
}

// Non-Latin layouts. The n-th character of each is on the same key as the n-th of kLatinKeys.
constexpr std::u32string_view kLatinKeys = U"qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
constexpr std::array<std::u32string_view, 4> kLayouts = {
    U"йцукенгшщзхъфывапролджэячсмитьбюё",   // Russian
    U"йцукенгшщзхїфівапролджєячсмитьбюґ",   // Ukrainian
    U";ςερτυθιοπ[]ασδφγηξκλ;'ζχψωβνμ,.`",   // Greek
    U"/'קראטוןםפ[]שדגכעיחלךף,זסבהנמצתץ`"};  // Hebrew
static_assert(std::ranges::all_of(kLayouts, [](std::u32string_view layout) {
  return layout.size() == kLatinKeys.size();
}));

char32_t lower(char32_t c) {
  const bool latin = c >= U'A' && c <= U'Z';
  const bool greek_or_cyrillic = (c >= U'Α' && c <= U'Ω') || (c >= U'А' && c <= U'Я');
  if (latin || greek_or_cyrillic) return c + 32;
  return c >= U'Ѐ' && c <= U'Џ' ? c + 80 : c;
}

// The character that Shift gives on a US keyboard, which most terminal protocols assume.
char32_t us_shifted(char32_t c) {
  constexpr std::string_view kPlain = "`1234567890-=[]\\;',./";
  constexpr std::string_view kShifted = "~!@#$%^&*()_+{}|:\"<>?";
  static_assert(kPlain.size() == kShifted.size());
  if (c >= U'a' && c <= U'z') return c - 32;
  const std::size_t at = c < 0x80 ? kPlain.find(static_cast<char>(c)) : std::string_view::npos;
  return at == std::string_view::npos ? c : static_cast<unsigned char>(kShifted[at]);
}

// The character of a reported key. With Ctrl or Alt it is taken from a Latin keyboard.
char32_t reported_character(const ReportedKey& reported, const Key& key) {
  char32_t c = key.character;
  int shifted = reported.shifted;
  if ((key.ctrl || key.alt) && c > 0x7F) {
    const bool told = reported.base > 0 && reported.base < 0x7F;
    if (const auto latin = told ? static_cast<char>(reported.base) : latin_key(c)) {
      c = static_cast<unsigned char>(*latin);
      shifted = 0;
    }
  }
  if (!key.shift || reported.shift_applied) return c;
  if (shifted > 0 && is_text(static_cast<char32_t>(shifted))) return static_cast<char32_t>(shifted);
  return us_shifted(c);
}

// A character with Ctrl, as the control character that terminals send for it. If there is none, it
// types nothing.
Key with_control(char32_t c, bool alt) {
  const std::optional<char> control = c < 0x7F ? control_byte(static_cast<int>(c)) : std::nullopt;
  if (!control) return {.character = lower(c), .ctrl = true, .alt = alt};
  const Key plain = control_key(*control);
  if (plain.code != Code::character)  // Ctrl+I, Ctrl+M, Ctrl+[
    return {.code = plain.code, .alt = alt, .bytes = plain.bytes};
  const char32_t named = c == U' ' ? U'@' : lower(c);
  return {.character = named, .ctrl = true, .alt = alt, .bytes = std::string(1, *control)};
}

}  // namespace

std::optional<char> latin_key(char32_t c) {
  if (c < 0x80) return std::nullopt;
  for (const std::u32string_view layout : kLayouts)
    if (const std::size_t at = layout.find(lower(c)); at != std::u32string_view::npos)
      return static_cast<char>(kLatinKeys[at]);
  return std::nullopt;
}

bool is_text(char32_t c) {
  const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
  return c >= 0x20 && !(c >= 0x7F && c <= 0x9F) && !surrogate && c <= 0x10FFFF;
}

Key text_key(char32_t c) {
  return {.character = c, .bytes = to_utf8(c)};
}

Key control_key(char c) {
  const std::string bytes(1, c);
  switch (c) {
    case '\r':
      return {.code = Code::enter, .bytes = bytes};
    case '\t':
      return {.code = Code::tab, .bytes = bytes};
    case '\x7f':
      return {.code = Code::backspace, .bytes = bytes};
    case kEsc:
      return {.code = Code::escape, .bytes = bytes};
    default:
      break;
  }
  const char32_t base = static_cast<unsigned char>(c) + U'@';
  return {
      .character = base >= U'A' && base <= U'Z' ? base + 32 : base, .ctrl = true, .bytes = bytes};
}

void set_modifiers(Key& key, int parameter) {
  const int bits = parameter > 0 ? parameter - 1 : 0;
  key.shift = bits & 1;
  key.alt = bits & (2 + 8);
  key.ctrl = bits & 4;
}

Key::Code code_of_letter(char letter) {
  switch (letter) {
    case 'A':
      return Code::up;
    case 'B':
      return Code::down;
    case 'C':
      return Code::right;
    case 'D':
      return Code::left;
    case 'H':
      return Code::home;
    case 'F':
      return Code::end;
    case 'M':
      return Code::enter;  // on the keypad
    case 'P':
    case 'Q':
    case 'R':
    case 'S':
      return static_cast<Code>(static_cast<int>(Code::f1) + (letter - 'P'));
    default:
      return Code::unknown;
  }
}

Key::Code code_of_number(int number) {
  static constexpr std::array<Code, 9> kEditing = {Code::unknown,   Code::home, Code::insert,
                                                   Code::del,       Code::end,  Code::page_up,
                                                   Code::page_down, Code::home, Code::end};
  if (number >= 0 && number < 9) return kEditing[static_cast<std::size_t>(number)];
  static constexpr std::array<int, 12> kFunction = {11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24};
  const auto* found = std::find(kFunction.begin(), kFunction.end(), number);
  if (found == kFunction.end()) return Code::unknown;
  return static_cast<Code>(static_cast<int>(Code::f1) + (found - kFunction.begin()));
}

Key reported_key(const ReportedKey& reported) {
  constexpr int kSuperHyperMeta = 8 + 16 + 32;
  // These are shortcuts of the desktop. They are not commands of the chat and type nothing.
  if (((std::max(reported.modifiers, 1) - 1) & kSuperHyperMeta) != 0)
    return {.code = Code::unknown};
  Key key = unmodified_key(reported.code);
  set_modifiers(key, reported.modifiers);
  if (key.code == Code::character) {
    const char32_t c = reported_character(reported, key);
    if (key.ctrl)
      key = with_control(c, key.alt);
    else
      key = {.character = c, .alt = key.alt && c < 0x80, .bytes = to_utf8(c)};
  }
  if (const std::string usual = usual_bytes(key); !usual.empty()) {
    key.bytes = usual;
    return key;
  }
  if (key.code == Code::tab && key.shift) key.bytes = "\x1b[Z";
  if (key.code == Code::backspace && key.ctrl && !key.alt) key.bytes = "\x17";  // as Ctrl+W
  if (key.alt && !key.bytes.empty()) key.bytes.insert(0, 1, kEsc);
  return key;
}

std::string usual_bytes(const Key& key) {
  static constexpr auto kLetters = std::to_array<std::pair<Code, char>>({{Code::up, 'A'},
                                                                         {Code::down, 'B'},
                                                                         {Code::right, 'C'},
                                                                         {Code::left, 'D'},
                                                                         {Code::home, 'H'},
                                                                         {Code::end, 'F'}});
  static constexpr auto kNumbers = std::to_array<std::pair<Code, int>>(
      {{Code::insert, 2}, {Code::del, 3}, {Code::page_up, 5}, {Code::page_down, 6}});
  const int modifiers = 1 + (key.shift ? 1 : 0) + (key.alt ? 2 : 0) + (key.ctrl ? 4 : 0);
  for (const auto& [code, letter] : kLetters)
    if (code == key.code)
      return modifiers == 1 ? fmt::format("\x1b[{}", letter)
                            : fmt::format("\x1b[1;{}{}", modifiers, letter);
  for (const auto& [code, number] : kNumbers)
    if (code == key.code)
      return modifiers == 1 ? fmt::format("\x1b[{}~", number)
                            : fmt::format("\x1b[{};{}~", number, modifiers);
  return {};
}

}  // namespace confab::ui
