// SPDX-License-Identifier: MIT
#include "app/cli/completion_script.h"

#include <fmt/format.h>

namespace confab::app {

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

// --- bash

namespace {

// The engine: reads the line from the shell, finds out what is needed, and offers it. The tables
// that it calls (_confab_options, _confab_value, ...) follow it.
constexpr std::string_view kBashEngine =
    R"sh(# Completes the command line of confab. Made by: confab --completion bash

# Sets words to those up to the cursor, whole where bash has cut them at : and =, and kept to what
# of the last one bash will not replace.
_confab_read_words() {
  local i raw blanks rest=$COMP_LINE last=-1
  words=() kept=
  for ((i = 0; i <= COMP_CWORD; i++)); do
    raw=${COMP_WORDS[i]}
    blanks=${rest%%[![:space:]]*}
    rest=${rest:${#blanks}+${#raw}}
    if ((last > 0)) && [[ -z $blanks && ($raw == [:=]* || ${words[last]} == *[:=]) ]]; then
      kept=${words[last]}
      words[last]+=$raw
      [[ $raw == [:=]* ]] && kept=${words[last]}
    else
      words[++last]=$raw kept=
    fi
  done
}

# Sets plain to what the shell will make of $1, which may not be complete.
_confab_unquote() {
  local text=$1 escape='^([^\\]*)\\(.)(.*)$'
  plain=
  case $text in
    \'*) plain=${text:1} && return ;;
    \"*) text=${text:1} ;;
  esac
  while [[ $text =~ $escape ]]; do
    plain+=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
    text=${BASH_REMATCH[3]}
  done
  plain+=$text
}

# Offers $1 if it begins as the word does. Names of files are quoted by bash itself.
_confab_offer() {
  [[ $1 == "$plain"* ]] || return 0
  local text=${1:n_kept}
  if [[ $text && ! $as_files ]]; then
    case $open in
      \') text=${text//\'/\'\\\'\'} ;;
      \") text=${text//\\/\\\\} text=${text//\"/\\\"} text=${text//\$/\\\$} text=${text//\`/\\\`} ;;
      *) printf -v text %q "$text" ;;
    esac
  fi
  COMPREPLY+=("$before$text")
}

_confab_offer_files() {
  local name path
  while IFS= read -r name; do
    path=$name
    [[ $path == '~/'* ]] && path=$HOME/${path:2}
    [[ -z $1 || -d $path || $name == *".$1" ]] && _confab_offer "$name"
  done < <(compgen -f -- "$plain")
}

_confab_offer_asked() {
  local line command=$program tab=$'\t'
  [[ $command == '~/'* ]] && command=$HOME/${command:2}
  while IFS= read -r line; do
    _confab_offer "${line%%"$tab"*}"
  done < <("$command" --candidates "$kind" 2>/dev/null)
}

# Offers values of the kind that begin as $1 does.
_confab_offer_values() {
  local plain open= as_files= n_kept choice
  _confab_unquote "$kept"
  n_kept=${#plain}
  case $1 in [\'\"]*) open=${1:0:1} ;; esac
  _confab_unquote "$1"
  case $kind in
    file | model | theme)
      as_files=1
      compopt -o filenames 2>/dev/null
      ;;
    conversation) compopt -o nosort 2>/dev/null ;;
  esac
  case $kind in
    file) _confab_offer_files '' ;;
    model) _confab_offer_asked && _confab_offer_files gguf ;;
    theme) _confab_offer_asked && _confab_offer_files toml ;;
    conversation | template) _confab_offer_asked ;;
    choice) for choice in "${choices[@]}"; do _confab_offer "$choice"; done ;;
  esac
}

_confab() {
  local program=$1 words kept before= command= kind= choices
  local i=1 n=0 first last awaited= ended= word name
  COMPREPLY=()
  _confab_read_words
  last=$((${#words[@]} - 1))
  while ((i < last)) && _confab_commands "$command" && [[ ${words[i]} ]]; do
    for name in "${choices[@]}"; do
      [[ $name == "${words[i]}" ]] && command+=${command:+ }$name && ((i++)) && continue 2
    done
    break
  done
  first=$i
  for (( ; i < last; i++)); do
    word=${words[i]}
    if [[ $awaited ]]; then
      awaited=
    elif [[ $ended || $word != -?* ]]; then
      ((n++))
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word != --*=* ]]; then
      _confab_option_value "$command" "$word" && awaited=$word
    fi
  done
  word=${words[last]}
  if [[ $awaited ]]; then
    _confab_option_value "$command" "$awaited"
    _confab_offer_values "$word"
  elif [[ ! $ended && $word == --*=* ]]; then
    name=${word%%=*}
    [[ $kept == "$name="* ]] && kept=${kept#"$name="} || before=$name=
    _confab_option_value "$command" "$name" && _confab_offer_values "${word#*=}"
  elif [[ ! $ended && $word == -* ]]; then
    kind=choice
    _confab_options "$command"
    _confab_offer_values "$word"
  elif ((last == first)) && _confab_commands "$command"; then
    kind=choice
    _confab_offer_values "$word"
    [[ $command ]] || { kind=template && _confab_offer_values "$word"; }
  elif _confab_word_value "$command" "$n"; then
    _confab_offer_values "$word"
  fi
}
)sh";

std::string bash_choices(const std::vector<std::string>& values) {
  std::string text = "choices=(";
  for (const std::string& value : values)
    text += (text.back() == '(' ? "" : " ") + shell_quoted(value);
  return text + ")";
}

std::string bash_value(const ValueShape& value) {
  std::string text = fmt::format("kind={}", name_of(value.kind));
  if (value.kind == ValueKind::choice) text += " " + bash_choices(value.choices);
  return text;
}

// A shell function that sets variables according to its arguments; it returns false if it has no
// such entry.
std::string bash_table(std::string_view name, std::string_view comment, std::string_view argument,
                       const std::string& cases) {
  return fmt::format("\n# {}\n{}() {{\n  case {} in\n{}    *) return 1 ;;\n  esac\n}}\n", comment,
                     name, argument, cases);
}

std::string bash_subcommands(std::span<const CommandShape> commands) {
  std::string cases;
  for (const CommandShape& command : commands) {
    std::vector<std::string> names;
    for (const CommandShape& sub : commands)
      if (is_under(sub, command)) names.push_back(sub.last_word());
    if (!names.empty())
      cases += fmt::format("    {}) {} ;;\n", shell_quoted(command.words), bash_choices(names));
  }
  return bash_table("_confab_commands", "The words that may follow the command $1.", "$1", cases);
}

std::string bash_options(std::span<const CommandShape> commands) {
  std::string names, values;
  for (const CommandShape& command : commands) {
    std::vector<std::string> all;
    for (const OptionShape& option : command.options) {
      std::string patterns;
      for (const std::string& name : option.names) {
        all.push_back(name);
        patterns += (patterns.empty() ? "" : " | ") + shell_quoted(command.words + "," + name);
      }
      if (option.value.kind != ValueKind::none)
        values += fmt::format("    {}) {} ;;\n", patterns, bash_value(option.value));
    }
    names += fmt::format("    {}) {} ;;\n", shell_quoted(command.words), bash_choices(all));
  }
  return bash_table("_confab_options", "The options of the command $1.", "$1", names) +
         bash_table("_confab_option_value", "What follows the option $2 of the command $1.",
                    "$1,$2", values);
}

std::string bash_words(std::span<const CommandShape> commands) {
  std::string cases;
  for (const CommandShape& command : commands) {
    for (std::size_t i = 0; i < command.values.size(); ++i) {
      const bool any = command.last_repeats && i + 1 == command.values.size();
      cases += fmt::format("    {}{}) {} ;;\n", shell_quoted(command.words + ","),
                           any ? "*" : std::to_string(i), bash_value(command.values[i]));
    }
  }
  return bash_table("_confab_word_value", "What the word number $2 of the command $1 is.", "$1,$2",
                    cases);
}

}  // namespace

std::string bash_completion(std::span<const CommandShape> commands) {
  return std::string(kBashEngine) + bash_subcommands(commands) + bash_options(commands) +
         bash_words(commands) + "\ncomplete -F _confab confab\n";
}

// --- zsh

namespace {

constexpr std::string_view kZshBegin = R"sh(#compdef confab
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

// Escapes text inside a specification of _arguments or _describe.
std::string zsh_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == ':' || c == '[' || c == ']') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// The action that offers a value, in the syntax of _arguments.
std::string zsh_action(const ValueShape& value) {
  switch (value.kind) {
    case ValueKind::none:
    case ValueKind::text:
      return " ";
    case ValueKind::choice: {
      std::string list;
      for (const std::string& choice : value.choices)
        list += (list.empty() ? "" : " ") + zsh_escaped(shell_quoted(choice));
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

std::string zsh_specification(const ValueShape& value) {
  return fmt::format(":{}:{}", zsh_escaped(value.name), zsh_action(value));
}

// A specification for each name of the option; each excludes the others.
std::string zsh_specifications(const OptionShape& option) {
  std::string names, text;
  for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  for (const std::string& name : option.names) {
    const bool takes_value = option.value.kind != ValueKind::none;
    const std::string_view joined = name.starts_with("--") ? "=" : name.size() == 2 ? "+" : "";
    const std::string spec =
        fmt::format("({}){}{}[{}]{}", names, name, takes_value ? joined : "",
                    zsh_escaped(option.help), takes_value ? zsh_specification(option.value) : "");
    text += " \\\n        " + shell_quoted(spec);
  }
  return text;
}

std::string zsh_arguments(const CommandShape& command) {
  std::string text;
  for (const OptionShape& option : command.options) text += zsh_specifications(option);
  for (std::size_t i = 0; i < command.values.size(); ++i) {
    const bool any = command.last_repeats && i + 1 == command.values.size();
    text += " \\\n        " + shell_quoted((any ? "*" : std::to_string(i + 1)) +
                                           zsh_specification(command.values[i]));
  }
  return text;
}

std::string zsh_function_name(const CommandShape& command) {
  std::string name = command.words.empty() ? "_confab" : "_confab__" + command.words;
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
}

// Offers the subcommands where one may appear, and leaves the words after a subcommand to its
// function.
std::string zsh_subcommands(const CommandShape& command, std::span<const CommandShape> commands) {
  std::string names, cases;
  for (const CommandShape& sub : commands) {
    if (!is_under(sub, command)) continue;
    const std::string name = sub.last_word();
    names += "\n      " + shell_quoted(zsh_escaped(name) + ":" + zsh_escaped(sub.about));
    cases += fmt::format("    ({}) shift words; (( CURRENT-- )); {}; return ;;\n",
                         shell_quoted(name), zsh_function_name(sub));
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

// The function of a command; its $words begin with the command's last word.
std::string zsh_function(const CommandShape& command, std::span<const CommandShape> commands) {
  return fmt::format("{}() {{\n{}  _arguments{}\n}}\n\n", zsh_function_name(command),
                     (command.words.empty() ? "  local program=${~words[1]}\n" : "") +
                         zsh_subcommands(command, commands),
                     zsh_arguments(command));
}

}  // namespace

std::string zsh_completion(std::span<const CommandShape> commands) {
  std::string text(kZshBegin);
  for (const CommandShape& command : commands) text += zsh_function(command, commands);
  return text + "_confab \"$@\"\n";
}

// --- fish

namespace {

constexpr std::string_view kFishBegin =
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

std::string fish_offer(const ValueShape& value) {
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

std::string fish_line(const std::string& condition, const std::string& rest) {
  return fmt::format("complete -c confab -n {}{}\n", fish_quoted(condition), rest);
}

std::string fish_options(const CommandShape& command) {
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
      rest += (may_be_file(option.value) ? " -r" : " -x") + fish_offer(option.value);
    text += fish_line("__confab_in " + fish_quoted(command.words),
                      rest + " -d " + fish_quoted(option.help));
  }
  return text;
}

std::string fish_words(const CommandShape& command, std::span<const CommandShape> commands) {
  std::string text;
  const std::string words = fish_quoted(command.words);
  bool has_subcommands = false;
  for (const CommandShape& sub : commands) {
    if (!is_under(sub, command)) continue;
    has_subcommands = true;
    text += fish_line(
        "__confab_is " + words,
        fmt::format(" -a {} -d {}", fish_quoted(sub.last_word()), fish_quoted(sub.about)));
  }
  if (command.words.empty())
    text += fish_line("__confab_is " + words, fish_offer({ValueKind::own_template, ""}));
  for (std::size_t i = 0; i < command.values.size(); ++i) {
    const std::string rest = fish_offer(command.values[i]);
    if (rest.empty()) continue;
    if (command.last_repeats && i + 1 == command.values.size())
      text += fish_line((has_subcommands ? "not __confab_is " + words + "; and " : std::string()) +
                            "__confab_in " + words,
                        rest);
    else
      text += fish_line(fmt::format("__confab_word {} {}", words, i), rest);
  }
  return text;
}

// The function that finds the command among the words before the cursor.
std::string fish_command_function(std::span<const CommandShape> commands) {
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
  std::string text =
      std::string(kFishBegin) + fish_command_function(commands) + "\ncomplete -c confab -f\n";
  for (const CommandShape& command : commands)
    text += fish_options(command) + fish_words(command, commands);
  return text;
}

}  // namespace confab::app
