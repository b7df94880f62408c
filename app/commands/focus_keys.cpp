// SPDX-License-Identifier: MIT
#include "app/commands/focus_keys.h"

#include <algorithm>
#include <array>

#include "ui/words.h"

namespace confab::app {
namespace {

using enum FocusAction;

constexpr std::array kFocusKeys = std::to_array<FocusKey>({
    {"Up", "previous message", message_up},
    {"Down", "next message", message_down},
    {"Right Tab", "next code block or link", part_on},
    {"Left Shift+Tab", "previous code block or link", part_back},
    {"k", "scroll up", line_up},
    {"j", "scroll down", line_down},
    {"u", "scroll up half a page", half_up},
    {"d", "scroll down half a page", half_down},
    {"g Home", "go to the beginning", top},
    {"G End", "go to the end", bottom},
    {"y c", "copy the message, code block or link", copy},
    {"s", "save it to a file", save},
    {"Enter Space o", "fold or unfold the message", fold},
    {"r", "show its Markdown source", toggle_raw},
    {"R", "ask for another answer", regenerate},
    {"e", "edit the question and ask again", edit},
    {"C", "continue an answer that was cut off", go_on},
    {"f", "continue from here in a copy of the conversation", fork},
    {"< [", "previous branch (1/2)", branch_back},
    {"> ]", "next branch (2/2)", branch_on},
    {"/", "search the conversation", search},
    {"n", "next match", match_on},
    {"N", "previous match", match_back},
    {"?", "show these keys", help},
    {"Esc i q", "back to the input", leave},
});

}  // namespace

std::span<const FocusKey> focus_keys() noexcept {
  return kFocusKeys;
}

const FocusKey* find_focus_key(std::string_view name) noexcept {
  const auto found = std::ranges::find_if(
      kFocusKeys, [name](const FocusKey& key) { return ui::has_word(key.keys, name); });
  return found == kFocusKeys.end() ? nullptr : &*found;
}

}  // namespace confab::app
