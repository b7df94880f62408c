// SPDX-License-Identifier: MIT
#include "engine/text/utf8_stream.h"

namespace confab::engine {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Bytes of the character that `first` starts; 0 when it starts none.
std::size_t length(unsigned char first) noexcept {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// Whether `next` may follow `first` directly: no overlong forms, surrogates or values past
// U+10FFFF (Unicode 15, table 3-7). Later bytes only have to be continuation bytes.
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
      return next >= 0x80 && next <= 0xBF;
  }
}

}  // namespace

void Utf8Stream::push(std::string_view bytes, std::string& text) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!held_.empty()) {
      const auto first = static_cast<unsigned char>(held_.front());
      const bool fits = held_.size() == 1 ? may_follow(first, byte) : (byte & 0xC0U) == 0x80;
      if (fits) {
        held_ += c;
        if (held_.size() == length(first)) {
          text += held_;
          held_.clear();
        }
        continue;
      }
      finish(text);
    }
    switch (length(byte)) {
      case 0:
        text += kReplacement;
        break;
      case 1:
        text += c;
        break;
      default:
        held_ = c;
    }
  }
}

void Utf8Stream::finish(std::string& text) {
  if (held_.empty()) return;
  text += kReplacement;
  held_.clear();
}

}  // namespace confab::engine
