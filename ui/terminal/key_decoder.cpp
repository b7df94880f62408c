// SPDX-License-Identifier: MIT
#include "ui/terminal/key_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ui/terminal/key_codes.h"
#include "ui/terminal/terminal_report.h"
#include "ui/utf8.h"

namespace confab::ui {
namespace {

using Code = Key::Code;

constexpr char kEsc = '\x1b';
constexpr std::string_view kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr std::size_t kMaxSequenceBytes = 64;

// What a prefix of the input is: `size` bytes that make an event, or none; or nothing yet (size 0).
struct Decoded {
  std::size_t size = 0;
  std::optional<Event> event = {};
};

bool between(char c, int low, int high) {
  const int value = static_cast<unsigned char>(c);
  return low <= value && value <= high;
}

// One character, plain or control; not ESC.
Decoded decode_character(std::string_view in, bool final) {
  const auto lead = static_cast<unsigned char>(in[0]);
  if (lead < 0x20 || lead == 0x7F) return {1, control_key(in[0])};
  if (lead < 0x80) return {1, text_key(lead)};
  const Utf8Character next = next_character(in);
  if (next.kind == Utf8Character::Kind::cut && !final) return {};
  return {next.n_bytes, text_key(is_text(next.code_point) ? next.code_point : 0xFFFD)};
}

Key sequence_key(std::string_view body, char last) {
  const auto [first, second, third] = csi_parameters(body);
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
  if (!complete && i == 2) return {2, Key{.character = U'[', .alt = true, .bytes = "\x1b["}};
  const std::size_t size = complete ? i + 1 : i;
  if (complete)
    if (const TerminalReport report = terminal_report(in.substr(2, i - 2), in[i]); report.known)
      return {size, report.event};
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

// ESC ] or ESC P: an answer of the terminal, ended by ST or BEL; any other is Alt and a character.
std::optional<Decoded> decode_string(std::string_view in, bool final) {
  for (const std::string_view begin : kReplyStrings) {
    if (!final && in.size() < begin.size() && begin.starts_with(in)) return Decoded{};
    if (!in.starts_with(begin)) continue;
    const std::size_t end = in.find_first_of("\a\x1b", begin.size());
    if (end == std::string_view::npos || end + 1 == in.size()) {
      const bool wait = !final && in.size() < kMaxReplyBytes;
      if (wait && (end == std::string_view::npos || in[end] == kEsc)) return Decoded{};
      if (end == std::string_view::npos || in[end] == kEsc) return Decoded{in.size(), {}};
    }
    const bool st = in[end] == kEsc && in[end + 1] == '\\';
    const std::size_t size = end + (st ? 2 : in[end] == kEsc ? 0 : 1);
    return Decoded{size, reply_of_string(in.substr(0, end))};
  }
  return std::nullopt;
}

Decoded decode_escape(std::string_view in, bool final) {
  if (in.size() == 1) return final ? Decoded{1, control_key(kEsc)} : Decoded{};
  if (in[1] == kEsc) return {1, control_key(kEsc)};
  if (in[1] == '[') return decode_csi(in, final);
  if (in[1] == ']' || in[1] == 'P')
    if (std::optional<Decoded> reply = decode_string(in, final)) return *std::move(reply);
  if (in[1] == 'O' && in.size() == 2 && !final) return {};
  if (in[1] == 'O' && in.size() > 2 && code_of_letter(in[2]) != Code::unknown)
    return {3, Key{.code = code_of_letter(in[2]), .bytes = std::string(in.substr(0, 3))}};
  const Decoded inner = decode_character(in.substr(1), final);
  if (inner.size == 0) return {};
  Key key = std::get<Key>(*inner.event);
  key.alt = true;
  key.bytes.insert(0, 1, kEsc);
  return {inner.size + 1, std::move(key)};
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
  const bool short_wait = pending_.size() <= 2 && last_ >= replies_until_;
  return last_ + (short_wait ? kEscapeTimeout : kIdleTimeout);
}

void KeyDecoder::expect_replies(Clock::time_point now) {
  replies_until_ = now + kReplyTime;
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
    if (!decoded.event) continue;
    const Key* key = std::get_if<Key>(&*decoded.event);
    if (key != nullptr && key->bytes == kPasteBegin)
      in_paste_ = true;
    else if (key == nullptr || key->bytes != kPasteEnd)
      out.push_back(*std::move(decoded.event));
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
