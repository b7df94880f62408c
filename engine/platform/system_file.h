// SPDX-License-Identifier: MIT
// Small system files that begin with a word or a number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace confab::engine::platform {

// Empty if there is no word or the file cannot be read.
std::string first_word(const std::filesystem::path& file);
// nullopt if the file does not begin with a number or cannot be read.
std::optional<std::int64_t> first_number(const std::filesystem::path& file);

}  // namespace confab::engine::platform
