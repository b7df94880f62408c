// SPDX-License-Identifier: MIT
// Control strings that ask the terminal to do something outside the screen.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace confab::ui {

// A desktop notification: OSC 777 for the terminals that know it best by that (by their name as
// they or TERM say it: VTE, foot, urxvt), else OSC 9. The texts are untrusted: what controls is
// made visible, line breaks and semicolons become spaces, and each is cut to 200 columns.
std::string notification(std::string_view terminal, std::string_view title, std::string_view body);

// The clipboard (OSC 52). nullopt when the text has more than kMaxClipboardBytes: several terminals
// drop sequences of more than 100,000 bytes, which its base64 would be. `in_gnu_screen`: in pieces
// that GNU screen hands on to the terminal around it. tmux takes it as it is, where its option
// set-clipboard is "on".
inline constexpr std::size_t kMaxClipboardBytes = 74'994;
std::optional<std::string> clipboard(std::string_view text, bool in_gnu_screen);

}  // namespace confab::ui
