// SPDX-License-Identifier: MIT
// The questions of earlier runs, in a text file that only its owner can read. Each line is one
// entry, oldest first, with \n for a line break and \\ for a backslash.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

inline constexpr std::size_t kMaxHistoryEntries = 10000;

// Returns the last kMaxHistoryEntries entries, or none if there is no file. A file that has grown
// to twice that number is cut down to these entries by renaming a new file over it. Throws a
// TerminalError that names the file.
std::vector<std::string> load_history(const std::string& path);
// Appends one entry. Several programs can share the file, because it is locked meanwhile. Creates
// the file if necessary, but not its folder. Throws a TerminalError that names the file.
void append_history(const std::string& path, std::string_view entry);

}  // namespace confab::ui
