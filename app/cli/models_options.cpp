// SPDX-License-Identifier: MIT
#include "app/cli/models_options.h"

#include <CLI/CLI.hpp>

#include "app/error.h"

namespace confab::app {

void add_models_options(CLI::App& app, ModelsOptions& options) {
  app.add_flag("--all-revisions", options.all_revisions,
               "Also list what Hugging Face's cache has of other branches and older commits");
  app.add_flag("--json", options.json, "Print JSON");
}

void add_pull_options(CLI::App& app, PullOptions& options) {
  app.add_option("MODEL", options.model,
                 "ORG/NAME as on huggingface.co, with :QUANT or :FILE where it is not to be Q4_K_M")
      ->type_name("");
  app.add_flag("--suggest", options.suggest, "Name three models that fit this machine");
  app.add_flag("-q,--quiet", options.quiet, "Print only the path of the file");
}

PullOptions finish_pull_options(PullOptions options) {
  if (options.suggest && !options.model.empty())
    throw UsageError("--suggest and MODEL cannot be used together: give one of them");
  if (!options.suggest && options.model.empty())
    throw UsageError(
        "which model? confab pull ORG/NAME[:QUANT]; confab pull --suggest names three");
  return options;
}

void add_remove_options(CLI::App& app, RemoveOptions& options) {
  app.add_option("MODEL", options.model, "As confab pull takes it, or the name of its file")
      ->required()
      ->type_name("");
  app.add_flag("-y,--yes", options.yes, "Do not ask for confirmation");
}

}  // namespace confab::app
