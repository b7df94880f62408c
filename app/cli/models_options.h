// SPDX-License-Identifier: MIT
// The command lines about the models on this machine: `confab models`, `confab pull`, `confab rm`.
#pragma once

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// What they fill must outlive the parsing.
void add_models_options(CLI::App& app, ModelsOptions& options);
void add_pull_options(CLI::App& app, PullOptions& options);
// Throws UsageError.
PullOptions finish_pull_options(PullOptions options);
void add_remove_options(CLI::App& app, RemoveOptions& options);

}  // namespace confab::app
