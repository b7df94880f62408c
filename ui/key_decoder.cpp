// SPDX-License-Identifier: MIT
#include "ui/key_decoder.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace confab::ui {
namespace {

using Code = Key::Code;

constexpr char kEsc = '\x1b';
constexpr std::string_view kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr std::size_t kMaxSequenceBytes = 64;
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// What a prefix of the input is: `size` bytes that make a key, or nothing yet (size 0).
struct Decoded {
  std::size_t size = 0;
  Key key = {};
};

bool between(char c, int low, int high) {
  const int value = static_cast<unsigned char>(c);
  return low <= value && value <= high;
}

std::string to_utf8(char32_t c) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  if (c < 0x10000)
    return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)), byte(0x80 | (c >> 6 & 0x3F)),
          byte(0x80 | (c & 0x3F))};
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

// One character, plain or control; not ESC.
Decoded decode_character(std::string_view in, bool final) {
  const auto lead = static_cast<unsigned char>(in[0]);
  if (lead < 0x20 || lead == 0x7F) return {1, control_key(in[0])};
  if (lead < 0x80) return {1, text_key(lead)};
  const Decoded invalid{1, {.character = 0xFFFD, .bytes = std::string(kReplacement)}};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return invalid;
  char32_t c = lead & (0x7F >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if (i == in.size()) return final ? invalid : Decoded{};
    if (!between(in[i], 0x80, 0xBF)) return invalid;
    c = c << 6 | (static_cast<unsigned char>(in[i]) & 0x3F);
  }
  static constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (c < kLeast[size] || !is_text(c)) return {c < kLeast[size] ? 1 : size, invalid.key};
  return {size, text_key(c)};
}

void set_modifiers(Key& key, int parameter) {
  const int bits = parameter > 0 ? parameter - 1 : 0;
  key.shift = bits & 1;
  key.alt = bits & 2;
  key.ctrl = bits & 4;
}

Code code_of_letter(char letter) {
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

Code code_of_number(int number) {
  static constexpr std::array<Code, 9> kEditing = {Code::unknown,   Code::home, Code::insert,
                                                   Code::del,       Code::end,  Code::page_up,
                                                   Code::page_down, Code::home, Code::end};
  if (number >= 0 && number < 9) return kEditing[static_cast<std::size_t>(number)];
  static constexpr std::array<int, 12> kFunction = {11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24};
  const auto* found = std::find(kFunction.begin(), kFunction.end(), number);
  if (found == kFunction.end()) return Code::unknown;
  return static_cast<Code>(static_cast<int>(Code::f1) + (found - kFunction.begin()));
}

// A key reported by its code point, as CSI code ; modifiers u or CSI 27 ; modifiers ; code ~. Its
// bytes are those of a terminal without such reports: what readline knows.
Key reported_key(int code, int modifiers) {
  Key key;
  const bool control = code == '\r' || code == '\t' || code == kEsc || code == 0x7F;
  if (control) {
    key = control_key(static_cast<char>(code));
  } else if (is_text(static_cast<char32_t>(code))) {
    key = text_key(static_cast<char32_t>(code));
  } else {
    key.code = Code::unknown;
  }
  set_modifiers(key, modifiers);
  if (key.code == Code::character) {
    key.shift = false;
    if (key.ctrl && code >= '@' && code < 0x7F) key.bytes = static_cast<char>(code & 0x1F);
  }
  if (key.alt && key.code != Code::unknown) key.bytes.insert(0, 1, kEsc);
  return key;
}

// The parameters of a control sequence; missing ones are 0, further ones ignored.
std::array<int, 3> parameters(std::string_view text) {
  std::array<int, 3> values{};
  std::size_t i = 0;
  for (const char c : text) {
    if (c == ';' && ++i == values.size()) break;
    if (between(c, '0', '9')) values[i] = std::min(values[i] * 10 + (c - '0'), 0x10FFFF);
  }
  return values;
}

Key sequence_key(std::string_view body, char last) {
  const auto [first, second, third] = parameters(body);
  if (last == 'u') return reported_key(first, second);
  if (last == '~' && first == 27) return reported_key(third, second);
  Key key;
  if (last == 'Z') {
    key.code = Code::tab;
    key.shift = true;
  } else if (last == '~' || last == '^' || last == '@') {
    key.code = code_of_number(first);
    set_modifiers(key, second);
    key.ctrl = key.ctrl || last != '~';  // rxvt: ^ is Ctrl, @ is Ctrl+Shift
    key.shift = key.shift || last == '@';
  } else {
    key.code = code_of_letter(last);
    set_modifiers(key, second);
  }
  if (key.code == Code::unknown) return {.code = Code::unknown};
  return key;
}

// ESC [ parameters intermediates final (ECMA-48, 5.4).
Decoded decode_csi(std::string_view in, bool final) {
  std::size_t i = 2;
  if (i < in.size() && in[i] == '[') ++i;  // the Linux console's F1 to F5: ESC [ [ A
  while (i < in.size() && i < kMaxSequenceBytes && between(in[i], 0x20, 0x3F)) ++i;
  if (i == in.size() && !final) return {};
  const bool complete = i < in.size() && between(in[i], 0x40, 0x7E);
  if (!complete && i == 2) return {2, {.character = U'[', .alt = true, .bytes = "\x1b["}};
  const std::size_t size = complete ? i + 1 : i;
  Key key{.code = Code::unknown};
  if (complete && in[2] == '[') {
    if (between(in[i], 'A', 'E'))
      key.code = static_cast<Code>(static_cast<int>(Code::f1) + (in[i] - 'A'));
  } else if (complete) {
    key = sequence_key(in.substr(2, i - 2), in[i]);
  }
  if (key.bytes.empty() && complete) key.bytes = in.substr(0, size);
  return {size, std::move(key)};
}

Decoded decode_escape(std::string_view in, bool final) {
  if (in.size() == 1) return final ? Decoded{1, control_key(kEsc)} : Decoded{};
  if (in[1] == kEsc) return {1, control_key(kEsc)};
  if (in[1] == '[') return decode_csi(in, final);
  if (in[1] == 'O' && in.size() == 2 && !final) return {};
  if (in[1] == 'O' && in.size() > 2 && code_of_letter(in[2]) != Code::unknown)
    return {3, {.code = code_of_letter(in[2]), .bytes = std::string(in.substr(0, 3))}};
  Decoded inner = decode_character(in.substr(1), final);
  if (inner.size == 0) return {};
  inner.key.alt = true;
  inner.key.bytes.insert(0, 1, kEsc);
  return {inner.size + 1, std::move(inner.key)};
}

// How many of the last bytes may begin the end marker of a paste.
std::size_t marker_prefix(std::string_view text) {
  for (std::size_t n = std::min(text.size(), kPasteEnd.size() - 1); n > 0; --n)
    if (text.substr(text.size() - n) == kPasteEnd.substr(0, n)) return n;
  return 0;
}

// The text without end markers, also without those that dropping one would put together.
std::string without_markers(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    out += c;
    if (c == kPasteEnd.back() && out.ends_with(kPasteEnd))
      out.resize(out.size() - kPasteEnd.size());
  }
  return out;
}

}  // namespace

std::vector<Event> KeyDecoder::feed(std::string_view bytes, Clock::time_point now) {
  std::vector<Event> out;
  pending_ += bytes;
  last_ = now;
  decode(false, out);
  return out;
}

std::vector<Event> KeyDecoder::expire(Clock::time_point now) {
  std::vector<Event> out;
  const auto due = deadline();
  if (!due || now < *due) return out;
  if (in_paste_) {
    paste_ += pending_;
    pending_.clear();
    end_paste(out);
  } else {
    decode(true, out);
  }
  return out;
}

std::optional<KeyDecoder::Clock::time_point> KeyDecoder::deadline() const noexcept {
  if (in_paste_) return last_ + kIdleTimeout;
  if (pending_.empty()) return std::nullopt;
  return last_ + (pending_.size() <= 2 ? kEscapeTimeout : kIdleTimeout);
}

void KeyDecoder::decode(bool final, std::vector<Event>& out) {
  std::size_t pos = 0;
  while (pos < pending_.size()) {
    if (in_paste_) {
      if (!take_paste(pos, out)) break;
      continue;
    }
    const std::string_view rest = std::string_view(pending_).substr(pos);
    Decoded decoded = rest[0] == kEsc ? decode_escape(rest, final) : decode_character(rest, final);
    if (decoded.size == 0) break;
    pos += decoded.size;
    if (decoded.key.bytes == kPasteBegin) {
      in_paste_ = true;
    } else if (decoded.key.bytes != kPasteEnd) {
      out.emplace_back(std::move(decoded.key));
    }
  }
  pending_.erase(0, pos);
}

bool KeyDecoder::take_paste(std::size_t& pos, std::vector<Event>& out) {
  const std::string_view rest = std::string_view(pending_).substr(pos);
  std::size_t end = rest.find(kPasteEnd);
  const bool ended = end != std::string_view::npos;
  if (ended) end = rest.substr(0, rest.find(kPasteBegin, end)).rfind(kPasteEnd);
  const std::size_t n = ended ? end : rest.size() - marker_prefix(rest);
  paste_ += rest.substr(0, std::min(n, kMaxPasteBytes - std::min(paste_.size(), kMaxPasteBytes)));
  pos += ended ? n + kPasteEnd.size() : n;
  if (ended) end_paste(out);
  return ended;
}

void KeyDecoder::end_paste(std::vector<Event>& out) {
  out.emplace_back(Paste{without_markers(std::exchange(paste_, {}))});
  in_paste_ = false;
}

}  // namespace confab::ui
