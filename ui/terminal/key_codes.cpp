// SPDX-License-Identifier: MIT
#include "ui/terminal/key_codes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ui/utf8.h"

namespace confab::ui {
namespace {

using Code = Key::Code;

constexpr char kEsc = '\x1b';

// What Ctrl makes of a character, as VT220 keyboards have it; 0: nothing of its own.
std::optional<char> control_byte(int code) {
  if (code >= '@' && code < 0x7F) return static_cast<char>(code & 0x1F);
  if (code == ' ' || code == '2') return '\0';
  if (code >= '3' && code <= '7') return static_cast<char>(0x1B + code - '3');
  if (code == '8' || code == '?') return '\x7f';
  if (code == '/') return '\x1f';
  return std::nullopt;
}

// The keypad, from its 0 on.
constexpr int kKeypad = 57399;
constexpr std::string_view kKeypadText = "0123456789./*-+\r=,";
constexpr int kKeypadMoves = 57417;
constexpr std::array<Code, 10> kKeypadMoveCodes = {
    Code::left,      Code::right, Code::up,  Code::down,   Code::page_up,
    Code::page_down, Code::home,  Code::end, Code::insert, Code::del};

// How terminals without such reports send these keys.
constexpr std::array<std::string_view, 10> kKeypadMoveBytes = {
    "\x1b[D",  "\x1b[C", "\x1b[A", "\x1b[B",  "\x1b[5~",
    "\x1b[6~", "\x1b[H", "\x1b[F", "\x1b[2~", "\x1b[3~"};

Key unmodified_key(int code) {
  const bool control = code == '\r' || code == '\t' || code == kEsc || code == 0x7F;
  if (control) return control_key(static_cast<char>(code));
  if (code >= kKeypadMoves && code < kKeypadMoves + static_cast<int>(kKeypadMoveCodes.size())) {
    const auto at = static_cast<std::size_t>(code - kKeypadMoves);
    return {.code = kKeypadMoveCodes[at], .bytes = std::string(kKeypadMoveBytes[at])};
  }
  if (code >= kKeypad && code < kKeypadMoves)
    return unmodified_key(kKeypadText[static_cast<std::size_t>(code - kKeypad)]);
  // Private use: keys without a character, such as those of media players.
  constexpr int kFirstPrivate = 0xE000, kLastPrivate = 0xF8FF;
  if (!is_text(static_cast<char32_t>(code)) || (code >= kFirstPrivate && code <= kLastPrivate))
    return {.code = Code::unknown};
  return text_key(static_cast<char32_t>(code));
}

}  // namespace

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
  key.alt = bits & 2;
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
      return Code::enter;  // of the keypad
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

Key reported_key(int code, int modifiers) {
  Key key = unmodified_key(code);
  set_modifiers(key, modifiers);
  if (key.code == Code::character) {
    key.shift = false;
    const std::optional<char> control = key.ctrl ? control_byte(code) : std::nullopt;
    if (control) key.bytes = *control;
    if (control && code == ' ') key.character = U'@';
    if (const Key plain = control_key(control.value_or('\0')); plain.code != Code::character)
      key = {.code = plain.code, .alt = key.alt, .bytes = plain.bytes};  // Ctrl+I, Ctrl+M, Ctrl+[
  }
  if (key.code == Code::tab && key.shift) key.bytes = "\x1b[Z";
  if (key.alt && key.code != Code::unknown) key.bytes.insert(0, 1, kEsc);
  return key;
}

}  // namespace confab::ui
