// SPDX-License-Identifier: MIT
#include "app/cli/engines_options.h"

#include <CLI/CLI.hpp>

namespace confab::app {

void add_engines_options(CLI::App& app, EnginesQuery& query) {
  app.add_flag("--check", query.check, "Ask also those that config.toml names");
  app.add_flag("--json", query.json, "Print JSON");
}

}  // namespace confab::app
