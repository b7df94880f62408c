// SPDX-License-Identifier: MIT
// What the words of a prompt say about its class: the tables that prompt_class.cpp weighs.
#pragma once

#include <span>
#include <string_view>

#include "app/prompts/prompt_class.h"

namespace confab::app {

// Where the words have to stand for a cue to count.
enum class CuePlace {
  begin,    // the first ones, but for what is only polite
  request,  // in what is asked, and not in the text that it is asked about
  anywhere,
};
// What has to go with the prompt.
enum class CueNeeds { nothing, attachment, no_attachment };

struct Cue {
  PromptClass of;
  CuePlace place;
  int weight;  // kDecides: it needs no other
  // Phrases, separated by |, in small letters and without accents. A * at the end of a word stands
  // for any letters.
  std::string_view words;
  CueNeeds needs = CueNeeds::nothing;
};

inline constexpr int kDecides = 4;

std::span<const Cue> prompt_cues() noexcept;
// Words that stand before a request and say nothing about it, separated by |.
std::string_view polite_words() noexcept;
// Endings of the names of files of code, separated by spaces.
std::string_view code_endings() noexcept;

}  // namespace confab::app
