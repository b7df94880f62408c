// SPDX-License-Identifier: MIT
#include "base/json_repair.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace confab::base {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Lone surrogates, U+D800 to U+DFFF, are kept as U+10D800 to U+10DFFF. These private-use characters
// have no standard meaning, and parsers accept them.
constexpr char32_t kHalf = 0x100000;

struct Utf8Part {
  std::size_t size;  // of a character, or of the bytes that one U+FFFD replaces
  bool is_valid;
};

// Follows Unicode 15, tables 3-7 and 3-8.
Utf8Part utf8_part(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t i = 1; i < size; ++i) {
    const unsigned least = i > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned most = i > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (i >= text.size() || byte(i) < least || byte(i) > most) return {i, false};
  }
  return {size, true};
}

// Decodes the four-byte character at p.
char32_t four_bytes(const char* p) noexcept {
  const auto low = [p](std::size_t i) { return static_cast<char32_t>(p[i] & 0x3F); };
  return static_cast<char32_t>(p[0] & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3);
}

void append_four_bytes(std::string& out, char32_t c) {
  for (const char32_t byte :
       {0xF0 | c >> 18, 0x80 | (c >> 12 & 0x3F), 0x80 | (c >> 6 & 0x3F), 0x80 | (c & 0x3F)})
    out += static_cast<char>(static_cast<unsigned char>(byte));
}

bool is_first_half(char32_t c) noexcept {
  return c >= 0xD800 && c <= 0xDBFF;
}
bool is_second_half(char32_t c) noexcept {
  return c >= 0xDC00 && c <= 0xDFFF;
}

// Turns a text that JsonRules::lenient accepts into JSON.
class Repair {
 public:
  Repair(std::string_view text, bool keep_halves) : text_(text), keep_halves_(keep_halves) {}

  std::string take() {
    out_.reserve(text_.size() + text_.size() / 8);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"')
        copy_string();
      else if (!replace_number())
        copy(1);
    }
    return std::move(out_);
  }

 private:
  void copy(std::size_t n) {
    out_ += text_.substr(at_, n);
    at_ = std::min(at_ + n, text_.size());
  }
  void replace(std::size_t n, std::string_view with) {
    out_ += with;
    at_ += n;
  }

  bool replace_number() {
    if (at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0) return false;
    for (const std::string_view name :
         {"NaN", "-NaN", "Infinity", "-Infinity", "nan", "-nan", "inf", "-inf"})
      if (text_.substr(at_, name.size()) == name) {
        const std::size_t end = at_ + name.size();
        if (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end])) != 0)
          continue;
        replace(name.size(), "null");
        return true;
      }
    return false;
  }

  void copy_string() {
    copy(1);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') return copy(1);
      if (c == '\\')
        copy_escape();
      else if (c == '\t' || c == '\n' || c == '\r')
        replace(1, c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\r");
      else
        copy_character();
    }
  }

  void copy_character() {
    const Utf8Part part = utf8_part(text_.substr(at_));
    if (part.is_valid)
      copy(part.size);
    else
      replace(part.size, kReplacement);
  }

  // The value of the "\uXXXX" at this offset.
  std::optional<char32_t> unit_at(std::size_t at) const noexcept {
    const std::string_view digits = text_.substr(std::min(at, text_.size()), 6);
    unsigned value = 0;
    if (digits.size() < 6 || !digits.starts_with("\\u")) return std::nullopt;
    const auto [end, fault] = std::from_chars(digits.data() + 2, digits.data() + 6, value, 16);
    if (fault != std::errc{} || end != digits.data() + 6) return std::nullopt;
    return value;
  }

  void copy_escape() {
    const char32_t unit = unit_at(at_).value_or(0), next = unit_at(at_ + 6).value_or(0);
    if (is_first_half(unit) && is_second_half(next)) return copy(12);
    if (!is_first_half(unit) && !is_second_half(unit)) return copy(2);
    at_ += 6;
    if (keep_halves_)
      append_four_bytes(out_, kHalf + unit);
    else
      out_ += kReplacement;
  }

  std::string_view text_;
  bool keep_halves_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string repaired_json(std::string_view text, bool keep_halves) {
  return Repair(text, keep_halves).take();
}

std::string HalfJoiner::push(std::string_view piece) {
  constexpr char kLead = '\xF4';
  constexpr std::size_t kSize = 4;
  std::string joined;
  if (held_.empty() && piece.find(kLead) == piece.npos) return std::string(piece);
  const std::string text = std::exchange(held_, {}) + std::string(piece);
  for (std::size_t i = 0; i < text.size();) {
    const bool is_four = text[i] == kLead && text.size() - i >= kSize;
    const char32_t half = is_four ? four_bytes(&text[i]) - kHalf : 0;
    if (!is_first_half(half) && !is_second_half(half)) {
      joined += text[i++];
      continue;
    }
    if (is_first_half(half) && i + kSize == text.size()) {
      held_ = text.substr(i);
      return joined;
    }
    const bool has_next = text.size() - i >= 2 * kSize && text[i + kSize] == kLead;
    const char32_t next = has_next ? four_bytes(&text[i + kSize]) - kHalf : 0;
    if (is_first_half(half) && is_second_half(next)) {
      append_four_bytes(joined, 0x10000 + ((half - 0xD800) << 10) + (next - 0xDC00));
      i += 2 * kSize;
    } else {
      joined += kReplacement;
      i += kSize;
    }
  }
  return joined;
}

std::string HalfJoiner::finish() {
  return std::exchange(held_, {}).empty() ? std::string() : std::string(kReplacement);
}

}  // namespace confab::base
