// SPDX-License-Identifier: MIT
// `confab fit`: what a model would take of memory, and whether this machine has that; by its
// metadata and sizes alone, before anything is loaded.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

// Prints the plan or, with options.table, the sizing guide. Returns the exit status: success where
// the model fits, does_not_fit where it does not. Throws ModelError, UserError.
int run_fit(const FitOptions& options, std::ostream& out);

}  // namespace confab::app
