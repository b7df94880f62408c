// SPDX-License-Identifier: MIT
// The choices that a person does not want to type each time: what was last chosen in the chat, then
// config.toml, then the variables CONFAB_*; each overrides the ones before it. `confab config`
// shows the result.
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

// How much of what was last chosen in the chat counts: `confab -p` takes the model alone.
enum class StatePart { model, all };

struct LoadedOptions {
  ChatOptions options = {};
  std::vector<std::string> faults = {};  // a line each; the options are without what they tell of
};

// "NAME=VALUE", as a process has them.
using EnvironmentView = std::span<const std::string>;

// The options that a command line begins with. Its faults are what config.toml and the environment
// have wrong; what of the last choices cannot be used any more is told of in `notice`, as is a
// variable CONFAB_* that means nothing.
LoadedOptions load_defaults(const Paths& paths, StatePart part, EnvironmentView environment);

// The steps of it. The options with what was last chosen in the chat.
ChatOptions load_state(const Paths& paths, StatePart part);
// With what the file says; as they are when there is no file. Each fault names the file, and line,
// key and what was expected where it has a key or value that is none.
LoadedOptions read_config(const std::filesystem::path& file, ChatOptions options, Origin from);
// The same; throws the first fault as UsageError.
ChatOptions load_config(const std::filesystem::path& file, ChatOptions options = {},
                        Origin from = Origin::config);
// With what the variables CONFAB_* say. An empty one says nothing; of a list, each line is a text.
LoadedOptions read_environment(EnvironmentView environment, ChatOptions options);

// What to say of a key that there is none of: "no key 'modle'; did you mean model?".
std::string unknown_key(std::string_view key);

// A line more to be told when the chat begins.
void add_notice(ChatOptions& options, const std::string& line);

// What `confab config` is asked for.
struct ConfigQuery {
  ChatOptions options;   // as a chat would begin with
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
