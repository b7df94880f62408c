// SPDX-License-Identifier: MIT
// `confab pull ORG/NAME[:QUANT]`: a model of the hub, into the folder that all its programs share.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// `out` gets the path of the model's file, once it is there and checked; a terminal's stderr shows
// how far it is, and `err` what there is to know, unless it is to be quiet. With `suggest`, `out`
// gets three models that fit. Returns the exit status: 130 when interrupted, after which the same
// command goes on; 4 when no model of the list fits. Throws UserError, ModelError.
int run_pull(const PullOptions& options, const Paths& paths, std::ostream& out, std::ostream& err);

}  // namespace confab::app
