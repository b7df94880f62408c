// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string_view>

#include "app/cli/completion_script.h"

namespace confab::app {
namespace {

constexpr std::string_view kBegin =
    R"sh(# Completes the command line of confab. Made by: confab --completion fish

# What the program knows of this kind: a line each, with a description behind a tab.
function __confab_asked
    set -l words (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    command -q $program; and command $program --candidates $argv[1] 2>/dev/null
end

# Whether the words before the cursor begin with exactly this command.
function __confab_in
    set -l command (__confab_command)
    test "$argv[1]" = "$command"
end

# Whether they are nothing but this command.
function __confab_is
    set -l words (commandline -opc)
    test "$argv[1]" = "$words[2..-1]"
end

# Whether so many words that are no options stand behind this command.
function __confab_word
    set -l words (commandline -opc | string match -v -- '-*')
    set -l command (string split -n ' ' -- $argv[1])
    __confab_in $argv[1]; and test (count $words) -eq (math 1 + (count $command) + $argv[2])
end
)sh";

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

bool may_be_file(const ValueShape& value) {
  using enum ValueKind;
  return value.kind == file || value.kind == model || value.kind == theme;
}

std::string offer(const ValueShape& value) {
  switch (value.kind) {
    case ValueKind::none:
    case ValueKind::text:
      return "";
    case ValueKind::choice: {
      std::string list;
      for (const std::string& choice : value.choices)
        list += (list.empty() ? "" : " ") + fish_quoted(choice);
      return " -a " + fish_quoted(list);
    }
    case ValueKind::file:
      return " -F";
    case ValueKind::model:
    case ValueKind::theme:
      return fmt::format(" -F -a '(__confab_asked {})'", name_of(value.kind));
    case ValueKind::conversation:
    case ValueKind::own_template:
      return fmt::format(" -k -a '(__confab_asked {})'", name_of(value.kind));
  }
  return "";
}

std::string line(const std::string& condition, const std::string& rest) {
  return fmt::format("complete -c confab -n {}{}\n", fish_quoted(condition), rest);
}

std::string options(const CommandShape& command) {
  std::string text;
  for (const OptionShape& option : command.options) {
    std::string rest;
    for (const std::string& name : option.names) {
      if (name.starts_with("--"))
        rest += " -l " + fish_quoted(name.substr(2));
      else
        rest += (name.size() == 2 ? " -s " : " -o ") + fish_quoted(name.substr(1));
    }
    if (option.value.kind != ValueKind::none)
      rest += (may_be_file(option.value) ? " -r" : " -x") + offer(option.value);
    text +=
        line("__confab_in " + fish_quoted(command.words), rest + " -d " + fish_quoted(option.help));
  }
  return text;
}

std::string words(const CommandShape& command, std::span<const CommandShape> commands) {
  std::string text;
  const std::string words = fish_quoted(command.words);
  bool has_subcommands = false;
  for (const CommandShape& sub : commands) {
    if (!is_under(sub, command)) continue;
    has_subcommands = true;
    text += line("__confab_is " + words,
                 fmt::format(" -a {} -d {}", fish_quoted(sub.last_word()), fish_quoted(sub.about)));
  }
  if (command.words.empty())
    text += line("__confab_is " + words, offer({ValueKind::own_template, ""}));
  for (std::size_t i = 0; i < command.values.size(); ++i) {
    const std::string rest = offer(command.values[i]);
    if (rest.empty()) continue;
    if (command.last_repeats && i + 1 == command.values.size())
      text += line((has_subcommands ? "not __confab_is " + words + "; and " : std::string()) +
                       "__confab_in " + words,
                   rest);
    else
      text += line(fmt::format("__confab_word {} {}", words, i), rest);
  }
  return text;
}

// What tells the command from the words before the cursor.
std::string command_function(std::span<const CommandShape> commands) {
  std::string text =
      "\n# The command that the words before the cursor begin with, as far as it is known.\n"
      "function __confab_command\n"
      "    set -l words (commandline -opc)\n"
      "    for n in 3 2\n"
      "        switch \"$words[2..$n]\"\n"
      "            case";
  for (const CommandShape& command : commands)
    if (!command.words.empty()) text += " " + fish_quoted(command.words);
  return text +
         "\n"
         "                echo \"$words[2..$n]\"\n"
         "                return\n"
         "        end\n"
         "    end\n"
         "end\n";
}

}  // namespace

std::string fish_completion(std::span<const CommandShape> commands) {
  std::string text = std::string(kBegin) + command_function(commands) + "\ncomplete -c confab -f\n";
  for (const CommandShape& command : commands) text += options(command) + words(command, commands);
  return text;
}

}  // namespace confab::app
