// SPDX-License-Identifier: MIT
// Names of files for "@path" in a message.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ui/input/completion_menu.h"

namespace confab::app {

// Whole replacements for a word that begins with @ (or @"): the files whose paths, from `folder`
// where they are not absolute, begin as the word does, sorted; folders end in / and hidden files
// are there only where the word asks for a dot. ~/ stands for the home folder. A path with blanks
// is
// @"quoted". At most kMaxPaths of a folder; empty when it cannot be read.
std::vector<ui::Candidate> complete_path(std::string_view word,
                                         const std::filesystem::path& folder = ".");
inline constexpr std::size_t kMaxPaths = 1000;

}  // namespace confab::app
