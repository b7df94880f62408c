// SPDX-License-Identifier: MIT
// The chat template that a person asks for, by its name or as its text.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"

namespace confab::app {

// Those that the engine has.
std::vector<std::string> template_names();

// What the engine is to use: the name of one that it has, or Jinja; empty: the model's own. Throws
// UsageError for a text that is neither, with the names.
std::string chosen_template(const ModelOptions& options);

}  // namespace confab::app
