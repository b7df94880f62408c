// SPDX-License-Identifier: MIT
// The choices that a person does not want to type each time: what was last chosen in the chat, then
// config.toml, then the variables CONFAB_*; each overrides those before it.
#pragma once

#include <filesystem>
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

}  // namespace confab::app
