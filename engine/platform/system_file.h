// SPDX-License-Identifier: MIT
// Small files in which a system tells of itself: a word or a number at their begin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace confab::engine::platform {

// Empty: there is none, or the file cannot be read.
std::string first_word(const std::filesystem::path& file);
// nullopt: the file does not begin with one, or cannot be read.
std::optional<std::int64_t> first_number(const std::filesystem::path& file);

}  // namespace confab::engine::platform
