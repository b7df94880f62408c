// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ui/base64.h"
#include "ui/color.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

using Kind = TerminalReply::Kind;

constexpr int kSynchronizedOutput = 2026;

// A component with n digits, scaled to 0 to 1.
std::optional<double> component(std::string_view digits) {
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || digits.size() > 4 || error != std::errc{} ||
      end != digits.data() + digits.size())
    return std::nullopt;
  return value / static_cast<double>((1u << (4 * digits.size())) - 1);
}

// Rec. 709 luma.
Background by_luma(double red, double green, double blue) {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5 ? Background::light : Background::dark;
}

// The beginnings of names in XTVERSION. xterm is missing because it has no links. tmux is missing
// because it passes them to an outer terminal that is unknown.
constexpr std::array<std::string_view, 13> kNames = {
    "Alacritty", "contour", "DomTerm", "foot", "ghostty", "iTerm2",  "kitty",
    "Konsole",   "mintty",  "Rio",     "VTE(", "WezTerm", "xterm.js"};
// The same for TERM and TERM_PROGRAM.
constexpr std::array<std::string_view, 8> kTerms = {
    "alacritty", "contour", "foot", "mintty", "rio", "wezterm", "xterm-ghostty", "xterm-kitty"};
constexpr std::array<std::string_view, 6> kPrograms = {"ghostty", "Hyper",  "iTerm.app",
                                                       "rio",     "vscode", "WezTerm"};
// The first versions that support links.
constexpr int kVte = 5000;
constexpr int kKonsole = 201200;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int number(const char* name) {
  const std::string_view text = variable(name);
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::array<std::string_view, N>& beginnings) {
  return std::ranges::any_of(beginnings,
                             [text](std::string_view b) { return text.starts_with(b); });
}

std::optional<Event> private_report(std::string_view body, char last) {
  const auto [first, second, third] = csi_parameters(body);
  if (body[0] == '<')
    return last == 'M' || last == 'm' ? mouse_event(first, second, third, last == 'M')
                                      : std::nullopt;
  if (body[0] != '?') return std::nullopt;
  constexpr int kColorScheme = 997;
  if (last == 'n' && first == kColorScheme && (second == 1 || second == 2))
    return TerminalReply{.kind = Kind::scheme, .first = second};
  if (last == 'c') return TerminalReply{.kind = Kind::attributes};
  if (last == 'u') return TerminalReply{.kind = Kind::keyboard, .first = first};
  if (last == 'y' && body.ends_with('$'))
    return TerminalReply{.kind = Kind::mode, .first = first, .second = second};
  return std::nullopt;
}

constexpr Cols kMaxNotice{200};
// GNU screen buffers 768 bytes of a control string; old versions buffer 256.
constexpr std::size_t kScreenPiece = 240;

std::string parameter(std::string_view text) {
  std::string line = one_line(text);
  std::ranges::replace(line, ';', ' ');
  return ellipsize(line, kMaxNotice);
}

bool prefers_777(std::string_view terminal) {
  return std::ranges::any_of(
      std::array<std::string_view, 4>{"VTE", "foot", "rxvt-unicode", "urxvt"},
      [terminal](std::string_view name) { return terminal.starts_with(name); });
}

}  // namespace

std::string terminal_questions(Rows rows, Surface surface) {
  std::string questions = "\x1b]11;?\x1b\\\x1b[?2026$p\x1b[?u\x1b[>0q";
  if (rows > Rows{1}) {
    questions += surface == Surface::screen ? "\x1b[2H" : "\r\n";
    questions += "\u00b7\x1b[6n\r\x1b[K";
  }
  return questions + "\x1b[c";
}

void learn(const TerminalReply& reply, TerminalFacts& facts, Capabilities& can) {
  switch (reply.kind) {
    case Kind::attributes:
      facts.answered = true;
      break;
    case Kind::name:
      facts.name = sanitize(reply.text);
      break;
    case Kind::mode: {  // 0: unknown, 1: set, 2: reset, 3 and 4: permanently (DEC STD 070)
      if (reply.first != kSynchronizedOutput) break;
      can.synchronized_known = reply.second >= 1 && reply.second <= 3;
      can.synchronized = can.synchronized_known;
      break;
    }
    case Kind::keyboard:
      facts.keyboard = true;
      break;
    case Kind::background:
      if (const auto found = background_of(reply.text)) {
        facts.background = found;
        facts.tells_background = true;
      }
      break;
    case Kind::scheme:
      facts.background = reply.first == 2 ? Background::light : Background::dark;
      break;
    case Kind::cursor:
      can.ambiguous_is_narrow = reply.second == 2;
      break;
  }
}

std::optional<Background> background_of(std::string_view color) {
  if (color.starts_with('#')) {
    const std::optional<Color> parsed = parse_color(color);
    if (!parsed) return std::nullopt;
    return by_luma(parsed->red / 255.0, parsed->green / 255.0, parsed->blue / 255.0);
  }
  for (const std::string_view form : {"rgb:", "rgba:"}) {
    if (!color.starts_with(form)) continue;
    color.remove_prefix(form.size());
    std::array<double, 3> values{};
    for (double& value : values) {
      const std::size_t end = color.find('/');
      const std::optional<double> part = component(color.substr(0, end));
      if (!part) return std::nullopt;
      value = *part;
      color.remove_prefix(end == std::string_view::npos ? color.size() : end + 1);
    }
    return by_luma(values[0], values[1], values[2]);
  }
  return std::nullopt;
}

std::optional<Background> background_of_environment() {
  const char* value = std::getenv("COLORFGBG");
  if (value == nullptr) return std::nullopt;
  std::string_view last = value;
  last.remove_prefix(last.rfind(';') + 1);
  int index = -1;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), index);
  if (error != std::errc{} || end != last.data() + last.size() || index < 0 || index > 15)
    return std::nullopt;
  return index == 7 || index > 8 ? Background::light : Background::dark;
}

bool follows_links(std::string_view name) {
  return begins_with_any(name, kNames);
}

bool environment_follows_links() {
  if (!variable("TMUX").empty() || !variable("STY").empty()) return false;
  return begins_with_any(variable("TERM"), kTerms) ||
         begins_with_any(variable("TERM_PROGRAM"), kPrograms) || number("VTE_VERSION") >= kVte ||
         number("KONSOLE_VERSION") >= kKonsole || !variable("WT_SESSION").empty();
}

// Button 0 is the left one, and 64 and 65 are the wheel. 4, 8 and 16 are added for modifiers.
std::optional<Event> mouse_event(int button, int col, int row, bool pressed) {
  constexpr int kModifiers = 4 + 8 + 16, kWheelUp = 64, kWheelDown = 65;
  if (pressed && button == 0 && row > 0 && col > 0) return Click{row - 1, col - 1};
  const int without = button & ~kModifiers;
  if (!pressed || (without != kWheelUp && without != kWheelDown)) return std::nullopt;
  return Key{.code = without == kWheelUp ? Key::Code::wheel_up : Key::Code::wheel_down,
             .ctrl = (button & 16) != 0,
             .alt = (button & 8) != 0,
             .shift = (button & 4) != 0};
}

std::array<int, 3> csi_parameters(std::string_view body) {
  std::array<int, 3> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = csi_sub_parameter(body, i, 0);
  return values;
}

int csi_sub_parameter(std::string_view body, std::size_t parameter, std::size_t sub) {
  constexpr int kLargest = 0x10FFFF;
  int value = 0;
  for (const char c : body) {
    if (c == ';') {
      if (parameter-- == 0) break;
    } else if (parameter == 0 && c == ':') {
      if (sub-- == 0) break;
    } else if (parameter == 0 && sub == 0 && c >= '0' && c <= '9') {
      value = std::min(value * 10 + (c - '0'), kLargest);
    }
  }
  return value;
}

TerminalReport terminal_report(std::string_view body, char last) {
  if (body.empty() && (last == 'I' || last == 'O')) return {true, Focus{last == 'I'}};
  if (body.empty()) return {};
  if (body[0] >= '<' && body[0] <= '?') return {true, private_report(body, last)};
  // CSI 1 ; n R is a key: F3 with modifiers. Our questions are never asked in the first row.
  const auto [row, col, third] = csi_parameters(body);
  if (last == 'R' && row > 1)
    return {true, TerminalReply{.kind = Kind::cursor, .first = row, .second = col}};
  return {};
}

BeginsString begins_string(std::string_view in) {
  constexpr std::string_view kDigits = "0123456789";
  if (in.size() < 2) return BeginsString::perhaps;
  const std::string_view rest = in.substr(2);
  const auto after = [rest](std::string_view many) { return rest.find_first_not_of(many); };
  if (in[1] == ']') {
    const std::size_t end = after(kDigits);
    if (end == std::string_view::npos) return BeginsString::perhaps;
    return end > 0 && rest[end] == ';' ? BeginsString::yes : BeginsString::no;
  }
  if (in[1] == '_') {
    if (rest.empty()) return BeginsString::perhaps;
    return rest[0] == 'G' ? BeginsString::yes : BeginsString::no;
  }
  if (in[1] != 'P') return BeginsString::no;
  // DCS: parameters, at least one private or intermediate mark, and a final byte.
  constexpr std::string_view kMarks = "!$+>=";
  const std::size_t marks = after("0123456789;");
  if (marks == std::string_view::npos) return BeginsString::perhaps;
  const std::size_t end = rest.find_first_not_of(kMarks, marks);
  if (end == marks) return BeginsString::no;
  if (end == std::string_view::npos) return BeginsString::perhaps;
  const bool final_byte = rest[end] >= '@' && rest[end] <= '~';
  return final_byte ? BeginsString::yes : BeginsString::no;
}

std::optional<Event> reply_of_string(std::string_view string) {
  constexpr std::string_view kBackground = "\x1b]11;", kName = "\x1bP>|";
  if (string.starts_with(kBackground))
    return TerminalReply{.kind = Kind::background,
                         .text = std::string(string.substr(kBackground.size()))};
  if (string.starts_with(kName))
    return TerminalReply{.kind = Kind::name, .text = std::string(string.substr(kName.size()))};
  return std::nullopt;
}

std::string notification(std::string_view terminal, std::string_view title, std::string_view body) {
  const std::string what = parameter(title), more = parameter(body);
  if (prefers_777(terminal)) return fmt::format("\x1b]777;notify;{};{}\x1b\\", what, more);
  return fmt::format("\x1b]9;{}{}{}\x1b\\", what, what.empty() || more.empty() ? "" : ": ", more);
}

std::optional<std::string> clipboard(std::string_view text, bool in_gnu_screen) {
  if (text.size() > kMaxClipboardBytes) return std::nullopt;
  const std::string whole = fmt::format("\x1b]52;c;{}", to_base64(text));
  if (!in_gnu_screen) return whole + "\x1b\\";
  std::string pieces;
  for (std::size_t i = 0; i < whole.size(); i += kScreenPiece)
    pieces += fmt::format("\x1bP{}\x1b\\", whole.substr(i, kScreenPiece));
  return pieces + "\x1bP\a\x1b\\";
}

}  // namespace confab::ui
