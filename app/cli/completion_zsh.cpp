// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string_view>

#include "app/cli/completion_script.h"

namespace confab::app {
namespace {

constexpr std::string_view kBegin = R"sh(#compdef confab
# Completes the command line of confab. Made by: confab --completion zsh

# Offers what the program knows of this kind: a line each, with a description behind a tab.
_confab_asked() {
  local -a found
  local line value
  for line in ${(f)"$(_call_program $1s ${(q)program} --candidates $1 2>/dev/null)"}; do
    value=${${${line%%$'\t'*}//\\/\\\\}//:/\\:}
    [[ $line == *$'\t'* ]] && value+=:${line#*$'\t'}
    found+=("$value")
  done
  _describe -V -t $1s $1 found
}

_confab_model() {
  _alternative 'models:model: _confab_asked model' 'files:GGUF file:_files -g "*.gguf"'
}

_confab_theme() {
  _alternative 'themes:theme: _confab_asked theme' 'files:theme file:_files -g "*.toml"'
}

_confab_conversation() {
  _confab_asked conversation
}

_confab_template() {
  _confab_asked template
}

)sh";

// Text inside a specification of _arguments or _describe.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == ':' || c == '[' || c == ']') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// What offers a value, as _arguments has it after the value's name.
std::string action(const ValueShape& value) {
  switch (value.kind) {
    case ValueKind::none:
    case ValueKind::text:
      return " ";
    case ValueKind::choice: {
      std::string list;
      for (const std::string& choice : value.choices)
        list += (list.empty() ? "" : " ") + escaped(shell_quoted(choice));
      return "(" + list + ")";
    }
    case ValueKind::file:
      return "_files";
    case ValueKind::model:
    case ValueKind::theme:
    case ValueKind::conversation:
    case ValueKind::own_template:
      return fmt::format("_confab_{}", name_of(value.kind));
  }
  return " ";
}

std::string specification(const ValueShape& value) {
  return fmt::format(":{}:{}", escaped(value.name), action(value));
}

// A specification for each name of the option; one excludes the others.
std::string specifications(const OptionShape& option) {
  std::string names, text;
  for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  for (const std::string& name : option.names) {
    const bool takes_value = option.value.kind != ValueKind::none;
    const std::string_view joined = name.starts_with("--") ? "=" : name.size() == 2 ? "+" : "";
    const std::string spec =
        fmt::format("({}){}{}[{}]{}", names, name, takes_value ? joined : "", escaped(option.help),
                    takes_value ? specification(option.value) : "");
    text += " \\\n        " + shell_quoted(spec);
  }
  return text;
}

std::string arguments(const CommandShape& command) {
  std::string text;
  for (const OptionShape& option : command.options) text += specifications(option);
  for (std::size_t i = 0; i < command.values.size(); ++i) {
    const bool any = command.last_repeats && i + 1 == command.values.size();
    text += " \\\n        " +
            shell_quoted((any ? "*" : std::to_string(i + 1)) + specification(command.values[i]));
  }
  return text;
}

std::string function_name(const CommandShape& command) {
  std::string name = command.words.empty() ? "_confab" : "_confab__" + command.words;
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
}

// Offers the subcommands where one may stand, and leaves what stands behind one to its function.
std::string subcommands(const CommandShape& command, std::span<const CommandShape> commands) {
  std::string names, cases;
  for (const CommandShape& sub : commands) {
    if (!is_under(sub, command)) continue;
    const std::string name = sub.last_word();
    names += "\n      " + shell_quoted(escaped(name) + ":" + escaped(sub.about));
    cases += fmt::format("    ({}) shift words; (( CURRENT-- )); {}; return ;;\n",
                         shell_quoted(name), function_name(sub));
  }
  if (names.empty()) return {};
  return fmt::format(
      "  if (( CURRENT > 2 )); then\n"
      "    case $words[2] in\n{}    esac\n"
      "  elif [[ $words[2] != -* ]]; then\n"
      "    local -a names=({}\n    )\n"
      "    _describe -t commands command names\n{}"
      "    return\n"
      "  fi\n",
      cases, names, command.words.empty() ? "    _confab_template\n" : "");
}

// A function whose $words begin with the last word of the command.
std::string function_of(const CommandShape& command, std::span<const CommandShape> commands) {
  return fmt::format("{}() {{\n{}  _arguments{}\n}}\n\n", function_name(command),
                     (command.words.empty() ? "  local program=${~words[1]}\n" : "") +
                         subcommands(command, commands),
                     arguments(command));
}

}  // namespace

std::string zsh_completion(std::span<const CommandShape> commands) {
  std::string text(kBegin);
  for (const CommandShape& command : commands) text += function_of(command, commands);
  return text + "_confab \"$@\"\n";
}

}  // namespace confab::app
