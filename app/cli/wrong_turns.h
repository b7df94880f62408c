// SPDX-License-Identifier: MIT
// Suggests the nearest command line of ours for slips, and for command lines of other programs for
// local models.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

// Returns what to type instead of a flag that llama.cpp, Ollama, llm, aichat or mods have and
// confab does not: one line that begins with the flag. Returns nullopt for an unknown flag. `value`
// is the word after the flag.
std::optional<std::string> advice_about_flag(std::string_view flag, std::string_view value);

// Returns what to type instead of these words (at least one), which begin with no command and
// belong to no prompt. `commands` are the existing names. Checks whether files of these names
// exist.
std::string advice_about_words(const std::vector<std::string>& words,
                               std::span<const std::string_view> commands);

}  // namespace confab::app
