// SPDX-License-Identifier: MIT
// The part of the command line that says which model runs, and how.
#pragma once

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// -m and -t. `model` must outlive the parsing.
void add_model_options(CLI::App& app, ModelOptions& model);
// -c, -b and the types of the KV cache.
void add_context_options(CLI::App& app, ModelOptions& model);
// -md and what else there is to say of drafts.
void add_draft_options(CLI::App& app, ModelOptions& model);

}  // namespace confab::app
