// SPDX-License-Identifier: MIT
#include "ui/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "ui/width_data.h"

namespace confab::ui {
namespace {

constexpr char32_t kReplacementPoint = 0xfffd;

struct Lead {
  int n_bytes;              // of the whole sequence; 0: not a lead byte
  unsigned char low, high;  // bounds of the second byte; they exclude overlong forms, surrogates
                            // and values above U+10FFFF (The Unicode Standard, table 3-7)
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

constexpr std::string_view kReplacement = "\uFFFD";
constexpr std::string_view kEllipsis = "…";
// Longer clusters are split, so that a pile of combining marks cannot make a cell unbounded. UAX
// #15 allows 30 marks in Stream-Safe Text.
constexpr int kMaxClusterCodePoints = 32;

bool is_plain_ascii(char c) {
  return c >= 0x20 && c < 0x7f;
}

// Embeddings, overrides and isolates, and the deprecated controls next to the isolates.
bool turns_text(char32_t c) {
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x206f);
}

bool is_tag(char32_t c) {
  return c >= 0xe0000 && c <= 0xe007f;
}
bool is_unassigned(char32_t c) {
  return c >= 0xe0080 && c <= 0xe00ff;
}

// The length of the tags of a flag at the beginning of the text (Unicode Technical Standard #51,
// ED-14a and annex C), or 0 if there are none. Returns nullopt if the text ends before the tags do.
std::optional<std::size_t> flag_bytes(std::string_view text) {
  constexpr int kMostTags = 16;
  constexpr char32_t kTags = 0xe0000, kEnd = 0xe007f;
  std::size_t at = 0;
  for (int n = 0; n <= kMostTags; ++n) {
    if (at == text.size()) return std::nullopt;
    const Utf8Character next = next_character(text.substr(at));
    if (next.kind == Utf8Character::Kind::cut) return std::nullopt;
    at += next.n_bytes;
    if (next.code_point == kEnd) return n > 0 ? at : 0;
    const char32_t c = next.code_point - kTags;
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) return 0;
  }
  return 0;
}

// The picture of a C0 control, U+2400 + c.
std::string control_picture(char32_t c) {
  return {'\xe2', '\x90', static_cast<char>(0x80 + c)};
}

void append_safe(std::string& out, char32_t c, std::string_view bytes, SafeFor use) {
  if (c == '\n' || c == '\t') {
    out += bytes;
  } else if (c < 0x20) {
    out += control_picture(c);
  } else if (c == 0x7f) {
    out += "\u2421";
  } else if (c >= 0x80 && c < 0xa0) {
    out += control_picture(0x1b);  // a C1 control is shown as the ESC sequence that it abbreviates
    out += static_cast<char>(c - 0x40);
  } else if (c == 0x2028 || c == 0x2029) {
    out += '\n';
  } else if (is_unassigned(c) || (use == SafeFor::showing && (turns_text(c) || is_tag(c)))) {
    out += kReplacement;
  } else {
    out += bytes;
  }
}

int code_point_width(utf8proc_int32_t c) {
  // Cases in which utf8proc differs from the wcwidth of terminals: the vowels and finals of a
  // Hangul syllable add no width to its first consonant, and spacing marks take a column.
  const utf8proc_property_t* property = utf8proc_get_property(c);
  if (property->boundclass == UTF8PROC_BOUNDCLASS_V ||
      property->boundclass == UTF8PROC_BOUNDCLASS_T)
    return 0;
  return property->category == UTF8PROC_CATEGORY_MC ? 1 : utf8proc_charwidth(c);
}

bool takes_emoji_style(utf8proc_int32_t c) {
  return utf8proc_get_property(c)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC ||
         (c >= '0' && c <= '9') || c == '#' || c == '*';
}

bool is_ambiguous(utf8proc_int32_t c) {
  const auto point = static_cast<char32_t>(c);
  const auto* range = std::ranges::lower_bound(kAmbiguousWidth, point, {}, &CodePointRange::last);
  return range != kAmbiguousWidth.end() && range->first <= point;
}

bool is_pictographic(char32_t c) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->boundclass ==
         UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}
// Emoji presentation and skin tones. They may stand between a flag and its tags.
bool changes_looks(char32_t c) {
  return c == 0xfe0f || (c >= 0x1f3fb && c <= 0x1f3ff);
}

utf8proc_int32_t code_point_at(std::string_view text, std::size_t* n_bytes) {
  const Utf8Character character = next_character(text);
  *n_bytes = character.n_bytes;
  return static_cast<utf8proc_int32_t>(character.code_point);
}

}  // namespace

std::string to_utf8(char32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) c = kReplacementPoint;
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
  if (lead.n_bytes == 0) return {kReplacementPoint, 1, malformed};
  char32_t code_point = lead.bits;
  for (std::size_t i = 1; i < static_cast<std::size_t>(lead.n_bytes); ++i) {
    if (i == text.size()) return {kReplacementPoint, i, cut};
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < lead.low || byte > lead.high) return {kReplacementPoint, i, malformed};
    lead.low = 0x80;
    lead.high = 0xbf;
    code_point = (code_point << 6) | (byte & 0x3fu);
  }
  return {code_point, static_cast<std::size_t>(lead.n_bytes)};
}

std::string Sanitizer::feed(std::string_view bytes) {
  if (pending_.empty()) return take(bytes, false);
  const std::string joined = std::exchange(pending_, {}) + std::string(bytes);
  return take(joined, false);
}

std::string Sanitizer::flush() {
  std::string out = take(std::exchange(pending_, {}), true);
  last_ = 0;
  return out;
}

std::string Sanitizer::take(std::string_view bytes, bool ended) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(bytes.begin(), bytes.end(), is_plain_ascii) - bytes.begin());
    out += bytes.substr(0, plain);
    bytes.remove_prefix(plain);
    if (plain > 0) last_ = 0;
    if (bytes.empty()) break;
    if (!take_character(bytes, ended, out)) {
      pending_ = bytes;
      break;
    }
  }
  return out;
}

bool Sanitizer::take_character(std::string_view& bytes, bool ended, std::string& out) {
  const Utf8Character next = next_character(bytes);
  const bool cut = next.kind == Utf8Character::Kind::cut || bytes == "\r";
  if (cut && !ended) return false;
  std::size_t n_bytes = next.n_bytes;
  std::size_t n_flag = 0;
  if (is_tag(next.code_point) && is_pictographic(last_)) {
    const auto flag = flag_bytes(bytes);
    if (!flag && !ended) return false;
    n_flag = flag.value_or(0);
  }
  if (n_flag > 0)
    out += bytes.substr(0, n_bytes = n_flag);
  else if (next.kind != Utf8Character::Kind::whole)
    out += kReplacement;
  else if (!bytes.starts_with("\r\n"))
    append_safe(out, next.code_point, bytes.substr(0, n_bytes), use_);
  if (!changes_looks(next.code_point)) last_ = next.code_point;
  bytes.remove_prefix(n_bytes);
  return true;
}

std::string sanitize(std::string_view text, SafeFor use) {
  Sanitizer sanitizer(use);
  std::string out = sanitizer.feed(text);
  out += sanitizer.flush();
  return out;
}

std::string one_line(std::string_view text) {
  std::string line = sanitize(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

Grapheme next_grapheme(std::string_view text) {
  if (text.empty()) return {text, Cols{0}};
  const bool alone = text.size() == 1 || static_cast<unsigned char>(text[1]) < 0x80;
  if (alone && static_cast<unsigned char>(text[0]) < 0x80)
    return {text.substr(0, 1), Cols{is_plain_ascii(text[0]) ? 1 : 0}};

  std::size_t end = 0;
  utf8proc_int32_t previous = code_point_at(text, &end);
  const bool emoji_base = takes_emoji_style(previous);
  int columns = code_point_width(previous);
  utf8proc_int32_t state = 0;
  for (int n = 1; n < kMaxClusterCodePoints && end < text.size(); ++n) {
    std::size_t n_bytes = 0;
    const utf8proc_int32_t next = code_point_at(text.substr(end), &n_bytes);
    if (utf8proc_grapheme_break_stateful(previous, next, &state)) break;
    constexpr utf8proc_int32_t kEmojiPresentation = 0xfe0f;
    columns += next == kEmojiPresentation && emoji_base ? 2 : code_point_width(next);
    end += n_bytes;
    previous = next;
  }
  return {text.substr(0, end), Cols{std::min(columns, 2)}};
}

WidthAgreement width_agreement(std::string_view grapheme) {
  if (grapheme.size() <= 1) return WidthAgreement::agreed;
  std::size_t n_bytes = 0;
  const utf8proc_int32_t c = code_point_at(grapheme, &n_bytes);
  const utf8proc_property_t* property = utf8proc_get_property(c);
  const bool unknown_to_some = property->category == UTF8PROC_CATEGORY_CO ||
                               property->category == UTF8PROC_CATEGORY_CN ||
                               property->category == UTF8PROC_CATEGORY_CF;
  if (n_bytes < grapheme.size() || unknown_to_some || code_point_width(c) == 0 ||
      property->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC ||
      property->boundclass == UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR)
    return WidthAgreement::disputed;
  return is_ambiguous(c) ? WidthAgreement::ambiguous : WidthAgreement::agreed;
}

Cols widest(std::string_view grapheme) {
  int columns = 0;
  while (!grapheme.empty()) {
    std::size_t n_bytes = 0;
    const utf8proc_int32_t c = code_point_at(grapheme, &n_bytes);
    const bool agreed = width_agreement(grapheme.substr(0, n_bytes)) == WidthAgreement::agreed;
    const int usual = code_point_width(c);
    columns += usual == 0 ? 1 : agreed ? usual : 2;
    grapheme.remove_prefix(n_bytes);
  }
  return Cols{columns};
}

Cols width(std::string_view text) {
  int columns = 0;
  while (!text.empty()) {
    const Grapheme grapheme = next_grapheme(text);
    columns += grapheme.width.value;
    text.remove_prefix(grapheme.bytes.size());
  }
  return Cols{columns};
}

std::string_view clip(std::string_view text, Cols cols) {
  std::size_t end = 0;
  int columns = 0;
  while (end < text.size()) {
    const Grapheme grapheme = next_grapheme(text.substr(end));
    if (columns + grapheme.width.value > cols.value) break;
    columns += grapheme.width.value;
    end += grapheme.bytes.size();
  }
  return text.substr(0, end);
}

std::string ellipsize(std::string_view text, Cols cols) {
  const std::string_view whole = clip(text, cols);
  if (whole.size() == text.size()) return std::string(text);
  if (cols.value <= 0) return {};
  std::string out(clip(text, Cols{cols.value - 1}));
  out += kEllipsis;
  return out;
}

}  // namespace confab::ui
