// SPDX-License-Identifier: MIT
// Edits a text in the person's own editor.
#pragma once

#include <string>
#include <string_view>

namespace confab::app {

// The editor's command: $VISUAL, else $EDITOR, else vi. It may include arguments ("code --wait")
// and is run by the shell, as git does.
std::string editor_command();

// edit_text() runs the editor on a temporary file that only this user can read, then removes the
// file. Returns what was saved, without the line break that editors add at the end. The caller must
// hand the terminal to the editor first (ui::Terminal::suspend); Ctrl+C goes to the editor as well.
// Throws UserError if the editor cannot be started or fails, or if the saved file is not text.
enum class DraftPlace { temporary_folder, memory };
std::string edit_text(std::string_view text, DraftPlace place = DraftPlace::temporary_folder);

}  // namespace confab::app
