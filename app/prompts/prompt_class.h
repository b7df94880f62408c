// SPDX-License-Identifier: MIT
// Classifies a prompt by rules: its words (in English, German, French and Spanish), its fences and
// its attachments. Reads no files and asks no model.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace confab::app {

enum class PromptClass { code, question, summary, rewrite, extraction, chat };
inline constexpr auto kPromptClasses =
    std::to_array({PromptClass::code, PromptClass::question, PromptClass::summary,
                   PromptClass::rewrite, PromptClass::extraction, PromptClass::chat});

// "code", "question", ...: also the name of the class's template.
std::string_view name_of(PromptClass one) noexcept;
std::optional<PromptClass> find_class(std::string_view name) noexcept;

struct Classed {
  std::optional<PromptClass> is;  // nullopt if in doubt
  std::string reason;             // "it says \"translate\"": a clause
};

// `attachments` are their names, with "-" for piped input.
Classed class_of(std::string_view prompt, std::span<const std::string> attachments);

}  // namespace confab::app
