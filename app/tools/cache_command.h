// SPDX-License-Identifier: MIT
// `confab cache`: what the prompt cache has, and how to get rid of it. Everything in it may go at
// any time, also while other programs use it: that costs time only.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Returns the exit status: 1 when a check found damaged blocks, 130 when it was interrupted. Throws
// UserError, StoreError.
int run_cache(const CacheOptions& options, const Paths& paths, std::ostream& out);

}  // namespace confab::app
