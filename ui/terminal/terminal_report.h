// SPDX-License-Identifier: MIT
// What terminals send of their own accord or when asked, told from keys.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "ui/event.h"

namespace confab::ui {

// The parameters of a control sequence; missing ones are 0, further ones and sub-parameters (after
// a colon) ignored.
std::array<int, 3> csi_parameters(std::string_view body);

// A control sequence CSI body last that is no key: an answer, a focus or mouse report. `event` is
// empty when it means nothing to us.
struct TerminalReport {
  bool known = false;  // false: it is a key
  std::optional<Event> event = {};
};
TerminalReport terminal_report(std::string_view body, char last);

// How answers begin that are control strings: to OSC 11 and to XTVERSION.
inline constexpr std::array<std::string_view, 2> kReplyStrings = {"\x1b]11;", "\x1bP>|"};
inline constexpr std::size_t kMaxReplyBytes = 1024;

// `string` is one of kReplyStrings and what followed, without its end.
std::optional<Event> reply_of_string(std::string_view string);

}  // namespace confab::ui
