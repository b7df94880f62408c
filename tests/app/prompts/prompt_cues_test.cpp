// SPDX-License-Identifier: MIT
#include "app/prompts/prompt_class.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace confab::app {
namespace {

// What a prompt is folded to: a word with another letter in it is never found.
bool can_be_found(std::string_view words) {
  return std::ranges::all_of(words, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view(" |*+#'-.;,").find(c) != std::string_view::npos;
  });
}

bool has_empty_word(std::string_view list) {
  return list.empty() || list.starts_with('|') || list.ends_with('|') ||
         list.find("||") != std::string_view::npos;
}

TEST(PromptCuesTest, AllCanBeFound) {
  for (const Cue& cue : prompt_cues()) {
    EXPECT_TRUE(can_be_found(cue.words)) << cue.words;
    EXPECT_FALSE(has_empty_word(cue.words)) << cue.words;
    EXPECT_GT(cue.weight, 0) << cue.words;
  }
  EXPECT_TRUE(can_be_found(polite_words()));
  EXPECT_FALSE(has_empty_word(polite_words()));
}

TEST(PromptCuesTest, EachClassHasSome) {
  for (const PromptClass one : kPromptClasses)
    EXPECT_NE(std::ranges::find(prompt_cues(), one, &Cue::of), prompt_cues().end());
}

}  // namespace
}  // namespace confab::app
