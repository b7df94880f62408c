// SPDX-License-Identifier: MIT
// The settings that a person does not want to type each time: what was last chosen in the chat,
// then config.toml, then the variables CONFAB_*. Each overrides the ones before it. Also the files
// that options name, and `confab config`, which shows the result.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// The part of the remembered choices that applies: `confab -p` uses only the model.
enum class StatePart { model, all };

struct LoadedOptions {
  ChatOptions options = {};
  std::vector<std::string> faults =
      {};  // one line each; the options do not contain the faulty values
};

// "NAME=VALUE", as in a process's environment.
using EnvironmentView = std::span<const std::string>;

// The options that a command line starts from. `faults` lists errors in config.toml and the
// environment. `notice` reports remembered choices that no longer work, and unknown CONFAB_*
// variables.
LoadedOptions load_defaults(const Paths& paths, StatePart part, EnvironmentView environment);

// The individual steps of load_defaults().
// The options with what was last chosen in the chat.
ChatOptions load_state(const Paths& paths, StatePart part);
// Adds what the file says; without a file, returns the options unchanged. Each fault names the file
// and, for a wrong key or value, the line, the key and what was expected.
LoadedOptions read_config(const std::filesystem::path& file, ChatOptions options, Origin from);
// The same, but throws the first fault as UsageError.
ChatOptions load_config(const std::filesystem::path& file, ChatOptions options = {},
                        Origin from = Origin::config);
// Adds what the variables CONFAB_* say. An empty variable is ignored; a list has one text per line.
LoadedOptions read_environment(EnvironmentView environment, ChatOptions options);

// The message for an unknown key: "no key 'modle'; did you mean model?".
std::string unknown_key(std::string_view key);

// Adds a line to the notices that are shown when the chat begins.
void add_notice(ChatOptions& options, const std::string& line);

// Reads the files that options name (-f, system_file, chat_template_file) into the options that
// they stand for, without the last line break. Then, if requested, replaces escape sequences in the
// prompt and in the reverse prompts of the command line. Throws UsageError if a file cannot be
// read, naming the option.
void read_option_files(ChatOptions& options);

// Like llama.cpp's -e: replaces \n, \r, \t, \', \", \\ and \xHH by the characters that they stand
// for. Any other backslash stays.
std::string unescaped(std::string_view text);

// The arguments of `confab config`.
struct ConfigQuery {
  ChatOptions options;   // the options that a chat would start with
  std::string key = {};  // the option to show; empty: all
  bool json = false;
  bool path = false;  // show where the configuration file is
};
// Prints a table of all options with their values and sources, or only the value of the one that is
// asked for: one line for each item of a list, no line if it is unset. Both are also available as
// JSON. `faults` are those of config.toml and the environment; they go to `err`, with the notices
// that a chat would begin with. Returns the exit status: 2 with faults, since no chat would begin.
int run_config(const ConfigQuery& query, const std::vector<std::string>& faults, const Paths& paths,
               std::ostream& out, std::ostream& err);

}  // namespace confab::app
