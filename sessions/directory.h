// SPDX-License-Identifier: MIT
// Directories that only their owner can look into.
#pragma once

#include <filesystem>

namespace confab::sessions {

// Creates the directory and what is missing above it, each with mode 0700; what is there already
// keeps its mode. Throws StoreError.
void make_private_directories(const std::filesystem::path& directory);

}  // namespace confab::sessions
