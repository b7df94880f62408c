// SPDX-License-Identifier: MIT
// Small files, read at once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace confab::app {

// All of its bytes. nullopt: it is a folder, is not there, or cannot be read; errno says why.
std::optional<std::string> whole_file(const std::filesystem::path& file);

}  // namespace confab::app
