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

// Where the words have to be for a cue to count.
enum class CuePlace {
  begin,    // the first words, after polite ones
  request,  // in the request, not in the text that it is about
  anywhere,
};
// Whether the prompt must or must not have attachments.
enum class CueNeeds { nothing, attachment, no_attachment };

struct Cue {
  PromptClass of;
  CuePlace place;
  int weight;  // kDecides is enough on its own
  // Phrases separated by |, in lower case and without accents. A * at the end of a word stands for
  // any letters.
  std::string_view words;
  CueNeeds needs = CueNeeds::nothing;
};

inline constexpr int kDecides = 4;

std::span<const Cue> prompt_cues() noexcept;
// Words before a request that say nothing about it, separated by |.
std::string_view polite_words() noexcept;
// File extensions of code, separated by spaces.
std::string_view code_endings() noexcept;

}  // namespace confab::app
