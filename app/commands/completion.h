// SPDX-License-Identifier: MIT
// What Tab completes in a line: commands, their arguments, and names of files for "@path".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/command.h"
#include "ui/input/completion_menu.h"

namespace confab::app {

// Whole replacements for a word that begins with @ (or @"): the files whose paths, from `folder`
// where they are not absolute, begin as the word does, sorted; folders end in / and hidden files
// are there only where the word asks for a dot. ~/ stands for the home folder. A path with blanks
// is quoted: @"two words". At most kMaxPaths of a folder; empty when it cannot be read.
std::vector<ui::Candidate> complete_path(std::string_view word,
                                         const std::filesystem::path& folder = ".");
inline constexpr std::size_t kMaxPaths = 1000;

// Whole replacements for `word`: command names at the start of a line, titles behind commands that
// take one, files for @path.
std::vector<ui::Candidate> complete(CommandContext& context, std::string_view before,
                                    std::string_view word);

}  // namespace confab::app
