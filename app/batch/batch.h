// SPDX-License-Identifier: MIT
// `confab batch`: a file of requests, answered several at a time into another file. Progress and
// errors are on stderr.
#pragma once

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Returns the exit status: 0 when all requests have an answer, 1 when some failed, 130 when
// interrupted: what is in the file then is whole, and the same command goes on from there. Throws
// like open_backend(), and UserError where a file is not as it should be.
int run_batch(const BatchOptions& options, const Paths& paths);

}  // namespace confab::app
