// SPDX-License-Identifier: MIT
#include "ui/terminal/terminal_report.h"

#include <algorithm>
#include <string>

namespace confab::ui {
namespace {

using Kind = TerminalReply::Kind;

// SGR mouse reports: button, column, row. 0 is the left button, 64 and 65 are the wheel, with 4, 8
// and 16 for modifiers.
std::optional<Event> mouse_event(std::string_view body, char last) {
  constexpr int kModifiers = 4 + 8 + 16, kWheelUp = 64, kWheelDown = 65;
  const auto [button, col, row] = csi_parameters(body);
  if (last == 'M' && button == 0 && row > 0 && col > 0) return Click{row - 1, col - 1};
  const int without = button & ~kModifiers;
  if (last != 'M' || (without != kWheelUp && without != kWheelDown)) return std::nullopt;
  return Key{.code = without == kWheelUp ? Key::Code::wheel_up : Key::Code::wheel_down,
             .ctrl = (button & 16) != 0,
             .alt = (button & 8) != 0,
             .shift = (button & 4) != 0};
}

std::optional<Event> private_report(std::string_view body, char last) {
  const auto [first, second, third] = csi_parameters(body);
  if (body[0] == '<') return last == 'M' || last == 'm' ? mouse_event(body, last) : std::nullopt;
  if (body[0] != '?') return std::nullopt;
  if (last == 'c') return TerminalReply{.kind = Kind::attributes};
  if (last == 'u') return TerminalReply{.kind = Kind::keyboard, .first = first};
  if (last == 'y' && body.ends_with('$'))
    return TerminalReply{.kind = Kind::mode, .first = first, .second = second};
  return std::nullopt;
}

}  // namespace

std::array<int, 3> csi_parameters(std::string_view body) {
  constexpr int kLargest = 0x10FFFF;
  std::array<int, 3> values{};
  std::size_t i = 0;
  bool counts = true;
  for (const char c : body) {
    if (c == ';' && ++i == values.size()) break;
    if (c == ';') counts = true;
    if (c == ':') counts = false;
    if (counts && c >= '0' && c <= '9') values[i] = std::min(values[i] * 10 + (c - '0'), kLargest);
  }
  return values;
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

std::optional<Event> reply_of_string(std::string_view string) {
  for (std::size_t i = 0; i < kReplyStrings.size(); ++i) {
    if (!string.starts_with(kReplyStrings[i])) continue;
    const std::string_view text = string.substr(kReplyStrings[i].size());
    return TerminalReply{.kind = i == 0 ? Kind::background : Kind::name, .text = std::string(text)};
  }
  return std::nullopt;
}

}  // namespace confab::ui
