// SPDX-License-Identifier: MIT
// Finds files below a folder that other programs own, and reads small files in it. Unreadable parts
// are skipped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace confab::app {

// The entries of a folder, sorted by name, at most kMostEntries. Empty if it cannot be read.
inline constexpr std::size_t kMostEntries = 20'000;
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// Regular files, also behind links, in a folder and `depth` levels below it, sorted by path. Each
// folder is searched only once, however many links lead to it.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, int depth);
// Only the GGUF files among these.
std::vector<std::filesystem::path> gguf_files_in(const std::filesystem::path& folder, int depth);

// The text of a small file, such as a manifest. Empty if it is missing, too large or unreadable.
std::string small_text(const std::filesystem::path& file, std::uintmax_t most_bytes = 1 << 20);

// Whether the file that a link leads to is still being downloaded.
bool is_partial(const std::filesystem::path& file);

// Whether this is a plain name: no folder, and nothing that leads out of one.
bool is_plain_name(const std::string& name);

}  // namespace confab::app
