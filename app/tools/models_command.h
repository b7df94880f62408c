// SPDX-License-Identifier: MIT
// confab models: the model files on this machine.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

// A table of the models that app/models/model_finder.h finds, on `out`: name, size and file, and a
// star at the one that a chat would begin with. What to do with it, and that the chosen one is not
// there, goes to `err`. Returns the exit status: 1 when there is none.
int run_models(const ModelOptions& chosen, std::ostream& out, std::ostream& err);

}  // namespace confab::app
