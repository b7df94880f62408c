// SPDX-License-Identifier: MIT
// The desktop's clipboard, written by the desktop's own program. Over SSH it is usually out of
// reach; there, the terminal can copy instead (OSC 52, ui::Terminal).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

// The command for this environment: wl-copy under Wayland, xclip or xsel under X11, pbcopy on
// macOS, whichever is found in PATH first. Empty if none is found.
std::vector<std::string> clipboard_command();

// Passes the text to that command and waits at most half a second. Returns the program's name, or
// "" if there is no program or it failed.
std::string copy_to_clipboard(std::string_view text);

}  // namespace confab::app
