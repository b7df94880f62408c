// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string_view>

#include "app/cli/completion_script.h"

namespace confab::app {
namespace {

// Reads what the shell has of the line, finds out what is asked for, and offers it. The tables that
// it calls (_confab_options, _confab_value, ...) follow it.
constexpr std::string_view kEngine =
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

std::string choices(const std::vector<std::string>& values) {
  std::string text = "choices=(";
  for (const std::string& value : values)
    text += (text.back() == '(' ? "" : " ") + shell_quoted(value);
  return text + ")";
}

std::string kind_of(const ValueShape& value) {
  std::string text = fmt::format("kind={}", name_of(value.kind));
  if (value.kind == ValueKind::choice) text += " " + choices(value.choices);
  return text;
}

// A function that sets variables after its arguments; false: it has nothing of that name.
std::string table(std::string_view name, std::string_view comment, std::string_view argument,
                  const std::string& cases) {
  return fmt::format("\n# {}\n{}() {{\n  case {} in\n{}    *) return 1 ;;\n  esac\n}}\n", comment,
                     name, argument, cases);
}

std::string subcommands(std::span<const CommandShape> commands) {
  std::string cases;
  for (const CommandShape& command : commands) {
    std::vector<std::string> names;
    for (const CommandShape& sub : commands)
      if (is_under(sub, command)) names.push_back(sub.last_word());
    if (!names.empty())
      cases += fmt::format("    {}) {} ;;\n", shell_quoted(command.words), choices(names));
  }
  return table("_confab_commands", "The words that may follow the command $1.", "$1", cases);
}

std::string options(std::span<const CommandShape> commands) {
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
        values += fmt::format("    {}) {} ;;\n", patterns, kind_of(option.value));
    }
    names += fmt::format("    {}) {} ;;\n", shell_quoted(command.words), choices(all));
  }
  return table("_confab_options", "The options of the command $1.", "$1", names) +
         table("_confab_option_value", "What follows the option $2 of the command $1.", "$1,$2",
               values);
}

std::string words(std::span<const CommandShape> commands) {
  std::string cases;
  for (const CommandShape& command : commands) {
    for (std::size_t i = 0; i < command.values.size(); ++i) {
      const bool any = command.last_repeats && i + 1 == command.values.size();
      cases += fmt::format("    {}{}) {} ;;\n", shell_quoted(command.words + ","),
                           any ? "*" : std::to_string(i), kind_of(command.values[i]));
    }
  }
  return table("_confab_word_value", "What the word number $2 of the command $1 is.", "$1,$2",
               cases);
}

}  // namespace

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

std::string bash_completion(std::span<const CommandShape> commands) {
  return std::string(kEngine) + subcommands(commands) + options(commands) + words(commands) +
         "\ncomplete -F _confab confab\n";
}

}  // namespace confab::app
