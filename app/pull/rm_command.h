// SPDX-License-Identifier: MIT
// `confab rm MODEL`: removes from the disk what confab pulled, and nothing else.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// MODEL is as for confab pull, or a file's name; without a quantisation all of the repository that
// was pulled. Asks on `out` and reads the answer from `in`, unless options.yes. What another
// snapshot still links to stays. Returns the exit status: 1 when the answer is no. Throws
// NoModelError for what confab did not pull, UserError, ModelError.
int run_rm(const RemoveOptions& options, const Paths& paths, std::istream& in, std::ostream& out);

}  // namespace confab::app
