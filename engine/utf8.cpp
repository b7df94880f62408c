// SPDX-License-Identifier: MIT
#include "engine/utf8.h"

namespace confab::engine {
namespace {

bool is_tail(unsigned char byte) noexcept {
  return (byte & 0xC0U) == 0x80;
}

// The length of a character that begins with `first`; 0 if none does.
std::size_t length(unsigned char first) noexcept {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// Returns true if `next` may directly follow `first`. Later bytes only have to be continuation
// bytes.
bool may_follow(unsigned char first, unsigned char next) noexcept {
  switch (first) {
    case 0xE0:
      return next >= 0xA0 && next <= 0xBF;
    case 0xED:
      return next >= 0x80 && next <= 0x9F;
    case 0xF0:
      return next >= 0x90 && next <= 0xBF;
    case 0xF4:
      return next >= 0x80 && next <= 0x8F;
    default:
      return is_tail(next);
  }
}

}  // namespace

Utf8Char read_utf8(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t n = length(byte(0));
  if (n <= 1) return {n == 1 ? char32_t{byte(0)} : kNotUtf8, 1};
  std::size_t i = 1;
  while (i < n && i < text.size() && (i == 1 ? may_follow(byte(0), byte(1)) : is_tail(byte(i)))) {
    ++i;
  }
  const auto size = static_cast<std::uint8_t>(i);
  if (i == n) return {utf8_bits(text.data(), n), size};
  return {kNotUtf8, size, i == text.size()};
}

Utf8Char read_utf8_bits(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t n = lead < 0x80           ? 1
                        : (lead >> 5) == 0x06 ? 2
                        : (lead >> 4) == 0x0E ? 3
                        : (lead >> 3) == 0x1E ? 4
                                              : 0;
  if (n == 0 || n > text.size()) return {};
  for (std::size_t i = 1; i < n; ++i) {
    if (!is_tail(static_cast<unsigned char>(text[i]))) return {};
  }
  return {utf8_bits(text.data(), n), static_cast<std::uint8_t>(n)};
}

void append_utf8(std::string& out, char32_t c) {
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  switch (utf8_size(c)) {
    case 1:
      out += static_cast<char>(c);
      return;
    case 2:
      out += {static_cast<char>(0xC0 | c >> 6), tail(0)};
      return;
    case 3:
      out += {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
      return;
    default:
      out += {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
  }
}

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

void Utf8Stream::push(std::string_view bytes, std::string& text) {
  held_ += bytes;
  std::string_view rest = held_;
  while (!rest.empty()) {
    const Utf8Char c = read_utf8(rest);
    if (c.cut) break;
    text += c.code_point == kNotUtf8 ? kReplacement : rest.substr(0, c.size);
    rest.remove_prefix(c.size);
  }
  held_.erase(0, held_.size() - rest.size());
}

void Utf8Stream::finish(std::string& text) {
  if (held_.empty()) return;
  text += kReplacement;
  held_.clear();
}

}  // namespace confab::engine
