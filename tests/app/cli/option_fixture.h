// SPDX-License-Identifier: MIT
// A row of the table of options through each of the ways in which its value can be given.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/cli/config.h"
#include "app/error.h"
#include "app/option_table.h"
#include "tests/temp_dir.h"

namespace confab::app {

// One text for the command line and the environment; of a list too.
using Texts = std::vector<std::string>;

// In the row's range, and not what holds anyway; as value_texts() has it.
inline std::string other_text(const Option& option) {
  const Texts before = value_texts(option.value, {});
  for (const char* text :
       {"a text", "true", "false", "0.5", "7", "1", "f16", "top_k", "5+1", "stop", "linear", "cpu"})
    if (ChatOptions options; put_value(option.value, options, Texts{text}, {}).empty())
      if (const Texts now = value_texts(option.value, options); now != before) return now.front();
  return "no value";
}

// As config.toml has it.
inline std::string toml_line(const Option& option, const std::string& text) {
  const bool is_number = text.find_first_not_of("-.0123456789") == std::string::npos;
  const bool bare = is_number || text == "true" || text == "false";
  return fmt::format("{} = {}\n", option.key, bare ? text : "'" + text + "'");
}

// Everything that the options say.
inline std::vector<Texts> all_values(const ChatOptions& options) {
  std::vector<Texts> values;
  for (const Option& option : option_table()) values.push_back(value_texts(option.value, options));
  return values;
}

struct Given {
  ChatOptions options = {};
  std::string fault = {};
};

// confab config takes all flags, and changes nothing.
inline Given by_flags(const Texts& words, const ChatOptions& defaults = {}) {
  Texts line{"config"};
  line.insert(line.end(), words.begin(), words.end());
  try {
    return {std::get<ConfigQuery>(parse_command_line(line, defaults)).options};
  } catch (const UsageError& fault) {
    return {.fault = fault.what()};
  }
}
inline Given by_flag(const Option& option, const std::string& text,
                     const ChatOptions& defaults = {}) {
  std::string value = text;
  if (flag_negates(option) && (text == "true" || text == "false"))
    value = text == "true" ? "false" : "true";
  return by_flags({long_flag(option) + "=" + value}, defaults);
}

inline Given told(LoadedOptions loaded) {
  return {std::move(loaded.options), loaded.faults.empty() ? "" : loaded.faults.front()};
}
inline Given by_file(const std::string& toml, const ChatOptions& defaults = {},
                     Origin from = Origin::config) {
  const TempDir home;
  return told(read_config(home.file("config.toml", toml), defaults, from));
}
inline Given by_environment(const Texts& variables, const ChatOptions& defaults = {}) {
  return told(read_environment(variables, defaults));
}

}  // namespace confab::app
