// SPDX-License-Identifier: MIT
#include "app/commands/keys_help.h"

#include <fmt/format.h>

#include "app/commands/focus_keys.h"
#include "ui/input/keymap.h"

namespace confab::app {

std::string keys_help() {
  std::string text = "While writing (and readline's own keys, as ~/.inputrc has them):\n";
  for (const auto& [keys, what] : {std::pair{"Enter", "send"},
                                   {"Ctrl+J Alt+Enter", "break the line (also \\ at its end)"},
                                   {"\"\"\"", "begin and end a text of several lines"},
                                   {"Tab", "complete a command, @file, model or title"},
                                   {"Up Down", "move in the text; from its edge, through history"},
                                   {"Ctrl+R", "search what was typed before"},
                                   {"Ctrl+G", "write in $VISUAL or $EDITOR (also Ctrl+X Ctrl+E)"},
                                   {"Ctrl+D", "leave, when nothing is written"}})
    text += fmt::format("  {:<18} {}\n", keys, what);
  text += "Always:\n";
  for (const ui::KeyBinding& binding : ui::key_bindings())
    text += fmt::format("  {:<18} {}\n", binding.key, binding.help);
  text += "While a message has the focus:";
  for (const FocusKey& key : focus_keys()) text += fmt::format("\n  {:<18} {}", key.keys, key.help);
  return text;
}

}  // namespace confab::app
