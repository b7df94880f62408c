// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_report.h"

#include <algorithm>
#include <string>

namespace confab::ui {
namespace {

using Kind = TerminalReply::Kind;

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

}  // namespace

// 0 is the left button, 64 and 65 are the wheel, with 4, 8 and 16 for modifiers.
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
  // CSI 1 ; n R is a key: F3 with modifiers. No question of ours is asked in the first row.
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
  // DCS parameters, at least one mark of a private or intermediate kind, and a final byte.
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

}  // namespace confab::ui
