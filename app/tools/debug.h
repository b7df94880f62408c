// SPDX-License-Identifier: MIT
// `confab debug`: looks inside the engine, for tests and for people who file bugs. Plain formats in
// and out; documented in README.md.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Runs one debug command and returns the exit status. Throws UserError, ModelError, StoreError.
int run_debug(const DebugOptions& options, const Paths& paths, std::istream& in, std::ostream& out,
              std::ostream& err);

}  // namespace confab::app
