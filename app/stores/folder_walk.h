// SPDX-License-Identifier: MIT
// The files below a folder that somebody else keeps, and small files in it: whatever is wrong with
// them, what can be read is found.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace confab::app {

// What is in a folder, sorted by name; empty where it cannot be read. At most kMostEntries.
inline constexpr std::size_t kMostEntries = 20'000;
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// Regular files, also behind links, in a folder and `depth` folders below it, sorted by path. A
// folder is looked into once, whatever links lead to it.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, int depth);
// Of these, the GGUF files.
std::vector<std::filesystem::path> gguf_files_in(const std::filesystem::path& folder, int depth);

// The text of a small file, such as a manifest; empty: it is not there, is larger, or cannot be
// read.
std::string small_text(const std::filesystem::path& file, std::uintmax_t most_bytes = 1 << 20);

// Whether what a link leads to is still being downloaded.
bool is_partial(const std::filesystem::path& file);

// Whether nothing but a name stands here: no folder, and nothing that leads out of one.
bool is_plain_name(const std::string& name);

}  // namespace confab::app
