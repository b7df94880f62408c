// SPDX-License-Identifier: MIT
// The command line of `confab models`.
#pragma once

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// `options` must outlive the parsing.
void add_models_options(CLI::App& app, ModelsOptions& options);

}  // namespace confab::app
