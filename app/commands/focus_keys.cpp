// SPDX-License-Identifier: MIT
#include "app/commands/focus_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "ui/input/keymap.h"
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

struct TypingKey {
  const char* keys;
  const char* what;
  bool in_lines = true;  // also in the line chat
};

constexpr auto kTyping = std::to_array<TypingKey>({
    {"Enter", "send"},
    {"Ctrl+J Alt+Enter", "start a new line (in most terminals also Shift+Enter)", false},
    {"\\ Enter", "replace the \\ with a new line"},
    {"\"\"\"", "begin and end a multi-line message"},
    {"Tab", "complete a command, @file, model or title"},
    {"Up Down", "move in the text, then through the history"},
    {"Ctrl+R", "search the history"},
    {"Ctrl+G", "edit in $VISUAL or $EDITOR (also Ctrl+X Ctrl+E)", false},
    {"Ctrl+D", "leave (when the line is empty)"},
    {"Left Right", "while several answers are written: show another one", false},
    {"Delete", "while several answers are written: stop the one shown", false},
});

std::string row(std::string_view keys, std::string_view what) {
  return fmt::format("\n  {:<18} {}", keys, what);
}

std::string typing_keys(bool in_lines) {
  std::string text = "While typing (readline's keys, as set in ~/.inputrc, work too):";
  for (const TypingKey& key : kTyping)
    if (key.in_lines || !in_lines) text += row(key.keys, key.what);
  return text;
}

}  // namespace

std::span<const FocusKey> focus_keys() noexcept {
  return kFocusKeys;
}

const FocusKey* find_focus_key(std::string_view name) noexcept {
  const auto found = std::ranges::find_if(
      kFocusKeys, [name](const FocusKey& key) { return ui::has_word(key.keys, name); });
  return found == kFocusKeys.end() ? nullptr : &*found;
}

std::string keys_help() {
  std::string text = typing_keys(false) + "\nAlways:";
  for (const ui::KeyBinding& binding : ui::key_bindings()) text += row(binding.key, binding.help);
  text += "\nWhile a message is selected:";
  for (const FocusKey& key : focus_keys()) text += row(key.keys, key.help);
  return text;
}

std::string line_keys_help() {
  return typing_keys(true) + row("Ctrl+C", "stop the answer that is shown, or clear the input") +
         row("Ctrl+Z", "suspend the program");
}

}  // namespace confab::app
