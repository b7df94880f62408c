// SPDX-License-Identifier: MIT
// Completes a line when Tab is pressed: commands, their arguments, and file names after @.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/command.h"
#include "ui/input/completion_menu.h"

namespace confab::app {

// Completes a word that starts with @ or @". Returns whole words for the files whose paths start
// like the word, sorted. Relative paths start at `folder`, ~/ at the home folder. Folders end in /,
// and hidden files are listed only if the word asks for a dot. A path with blanks is quoted: @"two
// words". Returns at most kMaxPaths of a folder, and nothing if the folder cannot be read.
std::vector<ui::Candidate> complete_path(std::string_view word,
                                         const std::filesystem::path& folder = ".");
inline constexpr std::size_t kMaxPaths = 1000;

// Returns whole words to replace `word` with: command names at the start of a line, arguments after
// a command, files after an @. `before` is the text before the word.
std::vector<ui::Candidate> complete(CommandContext& context, std::string_view before,
                                    std::string_view word);

}  // namespace confab::app
