// SPDX-License-Identifier: MIT
// A text in the person's own editor.
#pragma once

#include <string>
#include <string_view>

namespace confab::app {

// The command: $VISUAL, else $EDITOR, else vi. It may hold arguments ("code --wait") and, as git
// has it, is given to the shell.
std::string editor_command();

// Runs the editor on a file of its own, which nobody else can read and which is gone afterwards,
// and gives back what was saved there, without the line break that editors add at the end. The
// terminal must be the editor's for that time (ui::Terminal::suspend). Ctrl+C is the editor's too.
// Throws UserError when there is no editor, when it fails (the text is as it was then) or when what
// it leaves is no text.
enum class DraftPlace { temporary_folder, memory };
std::string edit_text(std::string_view text, DraftPlace place = DraftPlace::temporary_folder);

}  // namespace confab::app
