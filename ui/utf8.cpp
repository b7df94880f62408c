// SPDX-License-Identifier: MIT
#include "ui/utf8.h"

namespace confab::ui {
namespace {

constexpr char32_t kReplacement = 0xfffd;

struct Lead {
  int n_bytes;              // of the whole sequence; 0: not a lead byte
  unsigned char low, high;  // bounds of the second byte: they exclude overlongs, surrogates and
                            // what is above U+10FFFF (The Unicode Standard, table 3-7)
  char32_t bits;
};

Lead classify_lead(unsigned char byte) {
  const char32_t b = byte;
  if (byte < 0xc2 || byte > 0xf4) return {0, 0, 0, 0};
  if (byte < 0xe0) return {2, 0x80, 0xbf, b & 0x1f};
  if (byte == 0xe0) return {3, 0xa0, 0xbf, 0};
  if (byte == 0xed) return {3, 0x80, 0x9f, b & 0x0f};
  if (byte < 0xf0) return {3, 0x80, 0xbf, b & 0x0f};
  if (byte == 0xf0) return {4, 0x90, 0xbf, 0};
  if (byte == 0xf4) return {4, 0x80, 0x8f, b & 0x07};
  return {4, 0x80, 0xbf, b & 0x07};
}

}  // namespace

std::string to_utf8(char32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) c = kReplacement;
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xc0 | (c >> 6)), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xe0 | (c >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | (c >> 18)), tail(12), tail(6), tail(0)};
}

Utf8Character next_character(std::string_view text) {
  using enum Utf8Character::Kind;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  Lead lead = classify_lead(first);
  if (lead.n_bytes == 0) return {kReplacement, 1, malformed};
  char32_t code_point = lead.bits;
  for (std::size_t i = 1; i < static_cast<std::size_t>(lead.n_bytes); ++i) {
    if (i == text.size()) return {kReplacement, i, cut};
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < lead.low || byte > lead.high) return {kReplacement, i, malformed};
    lead.low = 0x80;
    lead.high = 0xbf;
    code_point = (code_point << 6) | (byte & 0x3fu);
  }
  return {code_point, static_cast<std::size_t>(lead.n_bytes)};
}

}  // namespace confab::ui
