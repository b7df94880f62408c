// SPDX-License-Identifier: MIT
#include "app/commands/keys_help.h"

#include <fmt/format.h>

#include "app/commands/focus_keys.h"
#include "ui/input/keymap.h"

namespace confab::app {

std::string keys_help() {
  std::string text = "While typing (readline's keys, as set in ~/.inputrc, work too):\n";
  for (const auto& [keys, what] :
       {std::pair{"Enter", "send"},
        {"Ctrl+J Alt+Enter", "start a new line (in most terminals also Shift+Enter)"},
        {"\\ Enter", "replace the \\ with a new line"},
        {"\"\"\"", "begin and end a multi-line message"},
        {"Tab", "complete a command, @file, model or title"},
        {"Up Down", "move in the text, then through the history"},
        {"Ctrl+R", "search the history"},
        {"Ctrl+G", "edit in $VISUAL or $EDITOR (also Ctrl+X Ctrl+E)"},
        {"Ctrl+D", "leave (when the line is empty)"}})
    text += fmt::format("  {:<18} {}\n", keys, what);
  text += "Always:\n";
  for (const ui::KeyBinding& binding : ui::key_bindings())
    text += fmt::format("  {:<18} {}\n", binding.key, binding.help);
  text += "While a message is selected:";
  for (const FocusKey& key : focus_keys()) text += fmt::format("\n  {:<18} {}", key.keys, key.help);
  return text;
}

}  // namespace confab::app
