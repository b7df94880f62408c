// SPDX-License-Identifier: MIT
#include "app/commands/keys_help.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "app/commands/focus_keys.h"
#include "ui/input/keymap.h"

namespace confab::app {

namespace {

struct TypingKey {
  const char* keys;
  const char* what;
  bool in_lines = true;  // in the chat line by line too
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
