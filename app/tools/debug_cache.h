// SPDX-License-Identifier: MIT
// `confab debug cache-stat`: what the prompt cache has been good for, and what it has of a prompt.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Writes one JSON object. Without tokens: the totals of the use log. With them: also what a model
// would find of a prompt of these, and how long verifying and mapping that took; the log does not
// count it. Throws UserError, ModelError, StoreError.
int debug_cache_stat(const DebugOptions& options, const Paths& paths,
                     const std::vector<engine::Token>& tokens, std::ostream& out);

}  // namespace confab::app
