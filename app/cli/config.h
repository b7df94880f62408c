// SPDX-License-Identifier: MIT
// config.toml: the choices that a person does not want to type each time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

struct ConfigKey {
  std::string_view name;
  std::string help;
};
// All that a file may have: those of app/parameters.h among them.
std::vector<ConfigKey> config_keys();

// How much of what was last chosen in the chat counts: `confab -p` takes the model alone.
enum class StatePart { model, all };

// The built-in options with what was last chosen in the chat, as far as it can be used: what of it
// is damaged or not there any more is told of in `notice` and left out.
ChatOptions load_state(const Paths& paths, StatePart part);
// The options with what the file says; as they are when there is no file. Throws UsageError that
// names the file, and line, key and what was expected where it has a key or value that is none.
ChatOptions load_config(const std::filesystem::path& file, ChatOptions options = {});

}  // namespace confab::app
