// SPDX-License-Identifier: MIT
// Tables of words that hint at a prompt's class; prompt_class.cpp weighs them.
#pragma once

#include <span>
#include <string_view>

#include "app/prompts/prompt_class.h"

namespace confab::app {

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
