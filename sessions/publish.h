// SPDX-License-Identifier: MIT
// Publishing a file: it appears under its name complete, or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace confab::sessions {

// Temporary files that a crash left behind begin with this.
inline constexpr std::string_view kTemporaryPrefix = ".tmp-";
// A temporary name that no other process makes, on this machine or another that shares the
// directory.
std::filesystem::path temporary_path(const std::filesystem::path& directory);

// Writes both parts as a new file with mode 0400. Nothing is flushed to the disk, so after a power
// failure the file may hold other content. Returns 0 or errno: EEXIST if the name is taken (the
// existing file stays), ENOENT if the directory is missing. Until it is published the file has no
// name, or a temporary one if the file system cannot create unnamed files.
int publish_file(const std::filesystem::path& path, std::span<const std::byte> first,
                 std::string_view second);

}  // namespace confab::sessions
