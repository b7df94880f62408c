// SPDX-License-Identifier: MIT
// config.toml: the choices that a person does not want to type each time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"

namespace confab::app {

struct ConfigKey {
  std::string_view name;
  std::string help;
};
// All that a file may have: those of app/parameters.h among them.
std::vector<ConfigKey> config_keys();

// Options with what the file says; the built-in ones when there is no file. Throws UsageError that
// names the file, and line, key and what was expected where it has a key or value that is none.
ChatOptions load_config(const std::filesystem::path& file);

}  // namespace confab::app
