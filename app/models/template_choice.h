// SPDX-License-Identifier: MIT
// The chat template that a person chooses, by name or as text.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"

namespace confab::app {

// The names of the engine's templates.
std::vector<std::string> template_names();

// The template for the engine to use: the name of one of its own, or Jinja; empty: the model's.
// Throws UsageError for any other text, listing the names.
std::string chosen_template(const ModelOptions& options);

}  // namespace confab::app
