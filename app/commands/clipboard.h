// SPDX-License-Identifier: MIT
// The desktop's clipboard, through the program that it has for that. Over SSH there is none: the
// terminal itself can be asked then (OSC 52, ui::Terminal).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

// The command for this environment: wl-copy under Wayland, xclip or xsel under X11, pbcopy on
// macOS, whichever is found in PATH first; empty: none.
std::vector<std::string> clipboard_command();

// Hands the text to that command and waits for it for half a second at most. The program that has
// taken it; empty: there is none, or it failed.
std::string copy_to_clipboard(std::string_view text);

}  // namespace confab::app
