// SPDX-License-Identifier: MIT
// A file that appears under its name at once and complete, or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace confab::sessions {

// Temporaries that a crash left behind begin so.
inline constexpr std::string_view kTemporaryPrefix = ".tmp-";
// A name for one, which no other process or machine that shares the directory makes.
std::filesystem::path temporary_path(const std::filesystem::path& directory);

// Writes the parts one after the other as a new file with mode 0400. Nothing is flushed to the
// disk: after a power failure the file may be there with other content. Returns 0 or errno: EEXIST
// when the name is taken (that file stays), ENOENT when the directory is missing. Until it has its
// name it has none, or a temporary one where the file system cannot do that.
int publish_file(const std::filesystem::path& path, std::span<const std::byte> first,
                 std::string_view second);

}  // namespace confab::sessions
