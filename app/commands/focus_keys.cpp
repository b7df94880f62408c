// SPDX-License-Identifier: MIT
#include "app/commands/focus_keys.h"

#include <algorithm>
#include <array>

namespace confab::app {
namespace {

using enum FocusAction;

constexpr std::array kFocusKeys = std::to_array<FocusKey>({
    {"Up", "the message above", message_up},
    {"Down", "the message below", message_down},
    {"Right Tab", "the next code block or link", part_on},
    {"Left Shift+Tab", "the one before", part_back},
    {"k", "scroll up", line_up},
    {"j", "scroll down", line_down},
    {"u", "half a page up", half_up},
    {"d", "half a page down", half_down},
    {"g Home", "to the beginning", top},
    {"G End", "to the end", bottom},
    {"y c", "copy the message, code block or link", copy},
    {"s", "save it to a file", save},
    {"Enter Space o", "fold or unfold the message", fold},
    {"r", "its Markdown as it was written", toggle_raw},
    {"R", "another answer in its place", regenerate},
    {"e", "edit the question and ask again", edit},
    {"C", "go on with an answer that was cut off", go_on},
    {"f", "go on from here in a copy of the conversation", fork},
    {"< [", "the branch before (1/2)", branch_back},
    {"> ]", "the next branch (2/2)", branch_on},
    {"/", "look for words in the conversation", search},
    {"n", "the next place where they are", match_on},
    {"N", "the one before", match_back},
    {"?", "these keys", help},
    {"Esc i q", "back to writing", leave},
});

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

std::span<const FocusKey> focus_keys() noexcept {
  return kFocusKeys;
}

const FocusKey* find_focus_key(std::string_view name) noexcept {
  const auto found = std::ranges::find_if(
      kFocusKeys, [name](const FocusKey& key) { return has_word(key.keys, name); });
  return found == kFocusKeys.end() ? nullptr : &*found;
}

}  // namespace confab::app
