// SPDX-License-Identifier: MIT
// confab models: the model files on this machine.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "ui/text.h"

namespace confab::app {

// A table of the models that are found (app/stores/stores.h), on `out`, of at most this width (0:
// any), or as JSON: what they are, whether they fit and how fast they can be, with a star at the
// one that a chat would begin with. What to do with it, what was left out and which files are
// broken goes to `err`. Returns the exit status: 1 when there is none.
int run_models(const ModelsOptions& options, ui::Cols width, std::ostream& out, std::ostream& err);

}  // namespace confab::app
