// SPDX-License-Identifier: MIT
// What terminals send of their own accord or when asked, told from keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ui/event.h"

namespace confab::ui {

// The parameters of a control sequence; missing ones are 0, further ones and sub-parameters (after
// a colon) ignored.
std::array<int, 3> csi_parameters(std::string_view body);
// One of a parameter's values that are separated by colons; 0 when it is missing.
int csi_sub_parameter(std::string_view body, std::size_t parameter, std::size_t sub);

// A control sequence CSI body last that is no key: an answer, a focus or mouse report. `event` is
// empty when it means nothing to us.
struct TerminalReport {
  bool known = false;  // false: it is a key
  std::optional<Event> event = {};
};
TerminalReport terminal_report(std::string_view body, char last);

// What a report of the mouse means; `button` with its modifiers, column and row from 1.
std::optional<Event> mouse_event(int button, int col, int row, bool pressed);

// Whether `in`, which begins with ESC, begins a control string that a terminal answers with (OSC,
// DCS, APC): one that was asked for or one that another program has left behind. None of them is
// what a person types: ESC ] is Alt+] unless a number and a semicolon follow it.
enum class BeginsString : std::uint8_t { no, perhaps, yes };
BeginsString begins_string(std::string_view in);
// A string is read up to its end this far: the clipboard is the longest.
inline constexpr std::size_t kMaxReplyBytes = std::size_t{128} << 10;

// The meaning of such a string, without its end; nullopt: none to us.
std::optional<Event> reply_of_string(std::string_view string);

}  // namespace confab::ui
