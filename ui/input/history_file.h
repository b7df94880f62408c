// SPDX-License-Identifier: MIT
// What was asked before, kept between runs. A text file, readable by its owner only: one entry a
// line, oldest first, with \n and \\ standing for a line break and a backslash.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

inline constexpr std::size_t kMaxHistoryEntries = 10000;

// The last kMaxHistoryEntries entries; none when there is no file. A file that has grown to twice
// that is cut to them, by renaming a new one over it. Throws TerminalError naming the file.
std::vector<std::string> load_history(const std::string& path);
// Adds one entry at the end. Several programs can share the file: it is locked meanwhile. Makes the
// file (not its folder). Throws TerminalError naming the file.
void append_history(const std::string& path, std::string_view entry);

}  // namespace confab::ui
