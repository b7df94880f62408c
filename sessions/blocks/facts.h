// SPDX-License-Identifier: MIT
// Facts that take long to find out, kept beside the prompt cache for the next run: such as what a
// file of gigabytes hashes to. Disposable; a damaged one is as if it had not been there. See
// FORMAT.md, "Facts". May be called from any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace confab::sessions {

// Of name and value together; larger ones are not kept.
inline constexpr std::size_t kMaxFactBytes = 64 * 1024;

// What was remembered under this name, which must say all that the value depends on. nullopt:
// nothing, or nothing that can be relied on. `directory` is one that BlockDirectory accepts.
std::optional<std::string> recall(const std::filesystem::path& directory, std::string_view name);
// Replaces what was remembered under the name; does nothing when it cannot be written.
void remember(const std::filesystem::path& directory, std::string_view name,
              std::string_view value) noexcept;
// Removes the facts that nobody has recalled for so long; returns how many.
int forget_facts(const std::filesystem::path& directory, std::chrono::hours unused) noexcept;

}  // namespace confab::sessions
