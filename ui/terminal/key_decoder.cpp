// SPDX-License-Identifier: MIT
#include "ui/terminal/key_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ui/terminal/key_codes.h"
#include "ui/terminal/terminal_facts.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

using Code = Key::Code;

constexpr char kEsc = '\x1b';
constexpr std::string_view kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr std::size_t kMaxSequenceBytes = 256;

// The result for the beginning of the input: `size` bytes that form an event or nothing of
// interest. A size of 0 means that more bytes are needed.
struct Decoded {
  std::size_t size = 0;
  std::optional<Event> event = {};
};

bool between(char c, int low, int high) {
  const int value = static_cast<unsigned char>(c);
  return low <= value && value <= high;
}

Key unknown_key(std::string_view bytes) {
  return {.code = Code::unknown, .bytes = std::string(bytes)};
}

// Decodes one character, plain or control, but not ESC.
Decoded decode_character(std::string_view in, bool final) {
  const auto lead = static_cast<unsigned char>(in[0]);
  // Konsole sends Super and a key in Emacs notation: C-x @ s.
  constexpr std::string_view kSuper = "\x18@s";
  if (in.size() > kSuper.size() && in.starts_with(kSuper))
    return {kSuper.size() + next_character(in.substr(kSuper.size())).n_bytes, {}};
  if (lead < 0x20 || lead == 0x7F) return {1, control_key(in[0])};
  if (lead < 0x80) return {1, text_key(lead)};
  const Utf8Character next = next_character(in);
  if (next.kind == Utf8Character::Kind::cut && !final) return {};
  return {next.n_bytes, text_key(is_text(next.code_point) ? next.code_point : 0xFFFD)};
}

// rxvt's keys: CSI a to d are arrows with Shift. A number ends with ^ for Ctrl, $ for Shift and @
// for both.
std::optional<Key> rxvt_key(std::string_view body, char last) {
  if (body.empty() && between(last, 'a', 'd')) {
    Key key{.code = code_of_letter(static_cast<char>(last - 'a' + 'A'))};
    key.shift = true;
    return key;
  }
  if (last != '^' && last != '$' && last != '@') return std::nullopt;
  Key key{.code = code_of_number(csi_sub_parameter(body, 0, 0))};
  key.ctrl = last != '$';
  key.shift = last != '^';
  return key;
}

// The keys that st sends until keypad mode is set.
std::optional<Key> st_key(std::string_view sequence) {
  static const std::array<std::pair<std::string_view, Key>, 9> kKeys = {{
      {"\x1b[P", {.code = Code::del}},
      {"\x1b[M", {.code = Code::del, .ctrl = true}},
      {"\x1b[2K", {.code = Code::del, .shift = true}},
      {"\x1b[4h", {.code = Code::insert}},
      {"\x1b[L", {.code = Code::insert, .ctrl = true}},
      {"\x1b[4l", {.code = Code::insert, .shift = true}},
      {"\x1b[J", {.code = Code::end, .ctrl = true}},
      {"\x1b[K", {.code = Code::end, .shift = true}},
      {"\x1b[2J", {.code = Code::home, .shift = true}},
  }};
  const auto* found = std::ranges::find(kKeys, sequence, [](const auto& key) { return key.first; });
  return found == kKeys.end() ? std::nullopt : std::optional(found->second);
}

Key sequence_key(std::string_view body, char last) {
  const auto [first, second, third] = csi_parameters(body);
  if (last == 'u')
    return reported_key({.code = first,
                         .modifiers = second,
                         .shifted = csi_sub_parameter(body, 0, 1),
                         .base = csi_sub_parameter(body, 0, 2)});
  if (last == '~' && first == 27)
    return reported_key({.code = third, .modifiers = second, .shift_applied = true});
  if (const std::optional<Key> key = rxvt_key(body, last)) return *key;
  Key key;
  if (last == 'Z') {
    key.code = Code::tab;
    key.shift = true;
  } else {
    key.code = last == '~' ? code_of_number(first) : code_of_letter(last);
    set_modifiers(key, second);
  }
  if (key.code == Code::unknown) return {.code = Code::unknown};
  return key;
}

// CSI M and three bytes: a mouse report from terminals without SGR reports. Each number is encoded
// as the number plus 32.
Decoded decode_old_mouse(std::string_view in, bool final) {
  const std::string_view numbers = in.substr(3, 3);
  const bool possible = std::ranges::all_of(numbers, [](char c) { return between(c, 0x20, 0xFF); });
  if (!possible || (numbers.size() < 3 && final)) return {3, unknown_key(in.substr(0, 3))};
  if (numbers.size() < 3) return {};
  const auto number = [numbers](std::size_t i) {
    return static_cast<unsigned char>(numbers[i]) - 32;
  };
  return {6, mouse_event(number(0), number(1), number(2), true)};
}

// Whether the report says that a key was released. Kitty's protocol does that if another program
// has requested it.
bool is_release(std::string_view body) {
  constexpr int kRelease = 3;
  return csi_sub_parameter(body, 1, 1) == kRelease;
}

// The end of a control sequence's parameters: its last byte, or the place where it breaks off.
std::size_t csi_end(std::string_view in) {
  std::size_t i = 2;
  if (i < in.size() && in[i] == '[') ++i;  // the Linux console's F1 to F5: ESC [ [ A
  const std::size_t begin = i;
  for (; i < in.size() && i < kMaxSequenceBytes && between(in[i], 0x20, 0x3F); ++i) {
    // rxvt ends a key with $. In a report with two numbers or a private mark, $ precedes the last
    // byte.
    const std::string_view body = in.substr(begin, i - begin);
    if (in[i] == '$' && !body.empty() && body.find_first_not_of("0123456789") == body.npos) break;
  }
  return i;
}

// ESC [ parameters intermediates final (ECMA-48, 5.4).
Decoded decode_csi(std::string_view in, bool final, KeyDialect dialect) {
  if (in.size() > 2 && in[2] == 'M' && dialect != KeyDialect::st)
    return decode_old_mouse(in, final);
  const std::size_t i = csi_end(in);
  if (i == in.size() && !final) return {};
  const bool complete = i < in.size() && (between(in[i], 0x40, 0x7E) || in[i] == '$');
  if (!complete && i == 2) return {2, Key{.character = U'[', .alt = true, .bytes = "\x1b["}};
  const std::size_t size = complete ? i + 1 : i;
  if (!complete) return {size, Key{.code = Code::unknown}};
  const std::string_view sequence = in.substr(0, size), body = in.substr(2, i - 2);
  if (dialect == KeyDialect::st)
    if (std::optional<Key> key = st_key(sequence)) {
      key->bytes = usual_bytes(*key);
      return {size, *std::move(key)};
    }
  if (const TerminalReport report = terminal_report(body, in[i]); report.known)
    return {size, report.event};
  if (is_release(body)) return {size, {}};
  Key key{.code = Code::unknown};
  if (in[2] == '[') {
    if (between(in[i], 'A', 'E'))
      key.code = static_cast<Code>(static_cast<int>(Code::f1) + (in[i] - 'A'));
  } else {
    key = sequence_key(body, in[i]);
  }
  const bool reported = in[i] == 'u' || (in[i] == '~' && body.starts_with("27;"));
  if (!reported) key.bytes = sequence;
  return {size, std::move(key)};
}

// ESC O and a letter: arrows and function keys (with Ctrl from rxvt, with a number for modifiers
// from older terminals) and the keypad's codes. Returns nullopt if it is Alt+O.
std::optional<Decoded> decode_ss3(std::string_view in, bool final, KeyDialect dialect) {
  constexpr std::string_view kKeypadLetters = "pqrstuvwxyjklmnoX ";
  constexpr std::string_view kKeypadText = "0123456789*+,-./= ";
  static_assert(kKeypadLetters.size() == kKeypadText.size());
  const std::size_t i = std::min(in.find_first_not_of("0123456789;", 2), in.size());
  if (i == in.size()) return final ? std::nullopt : std::optional(Decoded{});
  const std::string_view number = in.substr(2, i - 2);
  Key key{.code = code_of_letter(in[i]), .bytes = std::string(in.substr(0, i + 1))};
  if (number.empty() && between(in[i], 'a', 'd')) {
    key.code = code_of_letter(static_cast<char>(in[i] - 'a' + 'A'));
    key.ctrl = true;
  }
  if (key.code != Code::unknown) {
    const std::size_t last = number.rfind(';');
    set_modifiers(key, csi_sub_parameter(number, last == number.npos ? 0 : 1, 0));
    key.ctrl = key.ctrl || between(in[i], 'a', 'd');
    if (key.code == Code::enter && dialect == KeyDialect::konsole) {
      key.shift = true;
      key.bytes = "\r";
    }
    return Decoded{i + 1, std::move(key)};
  }
  if (!number.empty()) return std::nullopt;
  if (in[i] == 'I') return Decoded{i + 1, control_key('\t')};
  const std::size_t keypad = kKeypadLetters.find(in[i]);
  if (keypad == kKeypadLetters.npos) return std::nullopt;
  return Decoded{i + 1, text_key(static_cast<unsigned char>(kKeypadText[keypad]))};
}

// ESC ], ESC P or ESC _: an answer of the terminal. It ends with ST or BEL, or with any control
// character, because answers do not contain any. Returns nullopt if it is Alt and a character.
std::optional<Decoded> decode_string(std::string_view in, bool final) {
  const BeginsString begins = begins_string(in);
  if (begins == BeginsString::perhaps && !final) return Decoded{};
  if (begins != BeginsString::yes) return std::nullopt;
  const auto is_control = [](char c) { return between(c, 0, 0x1F); };
  const std::size_t end =
      static_cast<std::size_t>(std::find_if(in.begin() + 2, in.end(), is_control) - in.begin());
  const bool cut = end == in.size() || (in[end] == kEsc && end + 1 == in.size());
  if (cut && !final && in.size() < kMaxReplyBytes) return Decoded{};
  if (cut) return Decoded{in.size(), {}};
  const bool st = in[end] == kEsc && in[end + 1] == '\\';
  const std::size_t size = end + (st ? 2 : in[end] == '\a' ? 1 : 0);
  return Decoded{size, reply_of_string(in.substr(0, end))};
}

Decoded decode_escape(std::string_view in, bool final, KeyDialect dialect);

// A second ESC before a key's sequence means Alt, as rxvt and others send it. Before anything else
// the first ESC is the Escape key.
Decoded decode_two_escapes(std::string_view in, bool final, KeyDialect dialect) {
  const Decoded escape{1, control_key(kEsc)};
  if (in.size() == 2) return final ? escape : Decoded{};
  if (in[2] != '[' && in[2] != 'O') return escape;
  Decoded inner = decode_escape(in.substr(1), final, dialect);
  if (inner.size == 0) return {};
  Key* const key = inner.event ? std::get_if<Key>(&*inner.event) : nullptr;
  const bool is_function = key != nullptr && key->code >= Code::f1 && key->code <= Code::f12;
  if (key == nullptr || key->alt || (!is_function && usual_bytes(*key).empty())) return escape;
  key->alt = true;
  key->bytes = in.substr(0, inner.size + 1);
  return {inner.size + 1, std::move(*inner.event)};
}

Decoded decode_escape(std::string_view in, bool final, KeyDialect dialect) {
  if (in.size() == 1) return final ? Decoded{1, control_key(kEsc)} : Decoded{};
  if (in[1] == kEsc) return decode_two_escapes(in, final, dialect);
  if (in[1] == '[') return decode_csi(in, final, dialect);
  if (in[1] == ']' || in[1] == 'P' || in[1] == '_')
    if (std::optional<Decoded> reply = decode_string(in, final)) return *std::move(reply);
  if (in[1] == 'O')
    if (std::optional<Decoded> key = decode_ss3(in, final, dialect)) return *std::move(key);
  Decoded inner = decode_character(in.substr(1), final);
  if (inner.size == 0) return {};
  ++inner.size;
  Key* key = inner.event ? std::get_if<Key>(&*inner.event) : nullptr;
  if (key == nullptr) return inner;
  // Readline would take the first byte of a multi-byte character for the whole. So Alt applies to
  // the Latin letter on the same key. A character without one is text, even with Alt.
  if (key->character > 0x7F) {
    const std::optional<char> latin = latin_key(key->character);
    if (!latin) return inner;
    *key = text_key(static_cast<unsigned char>(*latin));
  }
  key->alt = true;
  key->bytes.insert(0, 1, kEsc);
  return inner;
}

// How many bytes at the end may begin the end marker of a paste.
std::size_t marker_prefix(std::string_view text) {
  for (std::size_t n = std::min(text.size(), kPasteEnd.size() - 1); n > 0; --n)
    if (text.substr(text.size() - n) == kPasteEnd.substr(0, n)) return n;
  return 0;
}

// Returns the text without end markers, including those that appear when another one is removed.
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
  const bool interrupts = bytes == "\x03" || bytes == "\x1b[99;5u";
  const bool gives_up = in_paste_ && interrupts && now - last_ >= kIdleTimeout;
  if (gives_up || (closed_ && now >= *closed_ + kPasteEndTime)) end_paste(out);
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
    end_paste(out);
    decode(false, out);
  } else {
    decode(true, out);
  }
  return out;
}

std::optional<KeyDecoder::Clock::time_point> KeyDecoder::deadline() const noexcept {
  if (closed_) return *closed_ + kPasteEndTime;
  if (in_paste_) return last_ + kPasteTimeout;
  if (pending_.empty()) return std::nullopt;
  // Nobody presses Alt with one of these, but a terminal's answers begin with them.
  constexpr std::string_view kBeginsAnswer = "[]P";
  const bool may_be_key = pending_.size() == 1 ||
                          (pending_.size() == 2 && static_cast<unsigned char>(pending_[1]) < 0x80 &&
                           kBeginsAnswer.find(pending_[1]) == kBeginsAnswer.npos);
  const bool short_wait = pending_[0] == kEsc && may_be_key && last_ >= replies_until_;
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
    Decoded decoded =
        rest[0] == kEsc ? decode_escape(rest, final, dialect_) : decode_character(rest, final);
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
  pending_.erase(0, std::exchange(pos, 0));
  if (!closed_) {
    const std::size_t end = pending_.find(kPasteEnd);
    const std::size_t n =
        end == std::string::npos ? pending_.size() - marker_prefix(pending_) : end;
    append_to_paste(std::string_view(pending_).substr(0, n));
    pending_.erase(0, n);
    if (end == std::string::npos) return false;
    closed_ = last_;
  }
  if (!extend_paste()) return false;
  end_paste(out);
  return true;
}

// Returns true if another paste begins, which ends this one for good.
bool KeyDecoder::extend_paste() {
  const std::size_t next = pending_.find(kPasteBegin);
  const std::size_t last = pending_.rfind(kPasteEnd, next);
  if (last != std::string::npos && last > 0) {
    append_to_paste(std::string_view(pending_).substr(0, last));
    pending_.erase(0, last);
    closed_ = last_;
  }
  return next != std::string::npos;
}

void KeyDecoder::append_to_paste(std::string_view text) {
  paste_ += text.substr(0, kMaxPasteBytes - std::min(paste_.size(), kMaxPasteBytes));
}

// If the paste was not closed, it consists of everything that has come so far.
void KeyDecoder::end_paste(std::vector<Event>& out) {
  if (closed_)
    pending_.erase(0, kPasteEnd.size());
  else
    append_to_paste(std::exchange(pending_, {}));
  closed_.reset();
  out.emplace_back(Paste{without_markers(std::exchange(paste_, {}))});
  in_paste_ = false;
}

}  // namespace confab::ui
