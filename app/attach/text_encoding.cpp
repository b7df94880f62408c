// SPDX-License-Identifier: MIT
#include "app/attach/text_encoding.h"

#include <algorithm>
#include <array>
#include <utility>

namespace confab::app {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

unsigned char byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

// The length of the character that starts here, or 0 if it is invalid (The Unicode Standard, table
// 3-7).
std::size_t utf8_length(std::string_view bytes, std::size_t at) {
  const unsigned char lead = byte_at(bytes, at);
  if (lead < 0x80) return 1;
  const std::size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() - at < n) return 0;
  const unsigned char second = byte_at(bytes, at + 1);
  const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (second < least || second > most) return 0;
  for (std::size_t i = 2; i < n; ++i)
    if ((byte_at(bytes, at + i) & 0xC0) != 0x80) return 0;
  return n;
}

struct Utf8Look {
  std::size_t n_long = 0;   // multi-byte characters
  std::size_t n_wrong = 0;  // bytes outside valid characters
};

Utf8Look look_at_utf8(std::string_view bytes) {
  Utf8Look look;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t n = utf8_length(bytes, i);
    if (n == 0) ++look.n_wrong;
    if (n > 1) ++look.n_long;
    i += std::max<std::size_t>(n, 1);
  }
  return look;
}

DecodedText mended_utf8(std::string_view bytes) {
  DecodedText decoded;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t n = utf8_length(bytes, i);
    if (n == 0) {
      append_utf8(decoded.text, kReplacement);
      ++decoded.n_replaced;
    } else {
      decoded.text += bytes.substr(i, n);
    }
    i += std::max<std::size_t>(n, 1);
  }
  return decoded;
}

bool is_high_surrogate(char32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low_surrogate(char32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

// Decodes the bytes after the byte order mark. An unpaired surrogate or half a unit at the end
// counts as one wrong character.
std::optional<DecodedText> decode_utf16(std::string_view bytes, bool big_endian) {
  DecodedText decoded{.encoding = Encoding::utf16};
  const auto unit = [&](std::size_t i) -> char32_t {
    const char32_t first = byte_at(bytes, i), second = byte_at(bytes, i + 1);
    return big_endian ? first << 8 | second : second << 8 | first;
  };
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    char32_t c = unit(i);
    if (c == 0) return std::nullopt;
    if (is_high_surrogate(c) && i + 3 < bytes.size() && is_low_surrogate(unit(i + 2))) {
      c = 0x10000 + ((c - 0xD800) << 10) + (unit(i + 2) - 0xDC00);
      i += 2;
    }
    if (c >= 0xD800 && c < 0xE000) {
      c = kReplacement;
      ++decoded.n_replaced;
    }
    append_utf8(decoded.text, c);
  }
  if (bytes.size() % 2 != 0) ++decoded.n_replaced;
  if (decoded.n_replaced * 8 > bytes.size()) return std::nullopt;
  return decoded;
}

// Windows-1252 from 0x80; 0 means unassigned.
constexpr std::array<char32_t, 32> kWindows{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

bool is_text_control(unsigned char c) {
  return (c >= '\b' && c <= '\r' && c != '\v') || c == 0x1B;
}

// Text in Latin-1 has few letters outside ASCII. Other encodings have many, and binary data has
// control characters.
bool looks_like_latin1(std::string_view bytes) {
  std::size_t n_high = 0;
  for (const char byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if ((c < ' ' && !is_text_control(c)) || c == 0x7F) return false;
    if (c >= 0x80 && c < 0xA0 && kWindows[c - 0x80U] == 0) return false;
    if (c >= 0x80) ++n_high;
  }
  constexpr std::size_t kShort = 16;  // a single word may consist of them
  return n_high * 3 <= bytes.size() + kShort;
}

DecodedText decode_latin1(std::string_view bytes) {
  DecodedText decoded{.encoding = Encoding::latin1};
  for (const char byte : bytes)
    append_utf8(decoded.text, windows_1252(static_cast<unsigned char>(byte)));
  return decoded;
}

}  // namespace

char32_t windows_1252(unsigned char byte) noexcept {
  if (byte < 0x80 || byte >= 0xA0) return byte;
  const char32_t c = kWindows[byte - 0x80U];
  return c == 0 ? kReplacement : c;
}

void append_utf8(std::string& text, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = kReplacement;
  const auto add = [&text](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c < 0x800) {
    add(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    add(0xE0 | c >> 12);
    add(0x80 | (c >> 6 & 0x3F));
  } else {
    add(0xF0 | c >> 18);
    add(0x80 | (c >> 12 & 0x3F));
    add(0x80 | (c >> 6 & 0x3F));
  }
  add(0x80 | (c & 0x3F));
}

std::optional<DecodedText> decode_text(std::string bytes) {
  using namespace std::string_view_literals;
  const std::string_view all = bytes;
  if (all.starts_with("\xFF\xFE\0\0"sv)) return std::nullopt;  // UTF-32
  if (all.starts_with("\xFF\xFE"sv)) return decode_utf16(all.substr(2), false);
  if (all.starts_with("\xFE\xFF"sv)) return decode_utf16(all.substr(2), true);
  if (all.find('\0') != std::string_view::npos) return std::nullopt;
  if (all.starts_with("\xEF\xBB\xBF"sv)) bytes.erase(0, 3);
  const Utf8Look look = look_at_utf8(bytes);
  if (look.n_wrong == 0) return DecodedText{.text = std::move(bytes)};
  // The last character may be cut off, which leaves up to three bytes of it.
  if (look.n_long > look.n_wrong * 4 || (look.n_long > 0 && look.n_wrong <= 3))
    return mended_utf8(bytes);
  if (looks_like_latin1(bytes)) return decode_latin1(bytes);
  return std::nullopt;
}

}  // namespace confab::app
