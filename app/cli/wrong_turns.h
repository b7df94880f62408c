// SPDX-License-Identifier: MIT
// Command lines of other programs for local models, and slips of the pen: for each the nearest
// command line of ours.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

// What to type instead of a flag that llama.cpp, Ollama, llm, aichat or mods have and confab has
// not: one line that begins with the flag. nullopt: it is nobody's. `value` is the word behind it.
std::optional<std::string> advice_about_flag(std::string_view flag, std::string_view value);

// What to type instead of these words (at least one), which begin with no command and go with no
// prompt. `commands` are the names that there are. Looks whether files of these names exist.
std::string advice_about_words(const std::vector<std::string>& words,
                               std::span<const std::string_view> commands);

}  // namespace confab::app
