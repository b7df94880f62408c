// SPDX-License-Identifier: MIT
#include "app/cli/models_options.h"

#include <CLI/CLI.hpp>

namespace confab::app {

void add_models_options(CLI::App& app, ModelsOptions& options) {
  app.add_flag("--all-revisions", options.all_revisions,
               "Also list what Hugging Face's cache has of other branches and older commits");
  app.add_flag("--json", options.json, "Print JSON");
}

}  // namespace confab::app
