// SPDX-License-Identifier: MIT
// Facts that take long to compute, such as the hash of a file of gigabytes, kept beside the prompt
// cache for the next run. They are disposable: a damaged fact counts as missing. See FORMAT.md,
// "Facts". May be called from any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace confab::sessions {

// Limit for name and value together; larger facts are not kept.
inline constexpr std::size_t kMaxFactBytes = 64 * 1024;

// The value remembered under this name. The name must say everything that the value depends on.
// Returns nullopt if there is no value, or none that can be trusted. `directory` must be one that
// BlockDirectory accepts.
std::optional<std::string> recall(const std::filesystem::path& directory, std::string_view name);
// Replaces the value under this name. Does nothing if it cannot be written.
void remember(const std::filesystem::path& directory, std::string_view name,
              std::string_view value) noexcept;
// Removes the facts that nobody has recalled for this long. Returns how many.
int forget_facts(const std::filesystem::path& directory, std::chrono::hours unused) noexcept;

}  // namespace confab::sessions
