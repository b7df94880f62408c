// SPDX-License-Identifier: MIT
// Directories that only their owner can read.
#pragma once

#include <filesystem>

namespace confab::sessions {

// Creates the directory and any missing parents, each with mode 0700. A directory that exists keeps
// its mode. Throws StoreError.
void make_private_directories(const std::filesystem::path& directory);

}  // namespace confab::sessions
