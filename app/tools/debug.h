// SPDX-License-Identifier: MIT
// `confab debug`: looks inside the engine, for tests and for people who file bugs. Plain formats in
// and out; documented in README.md.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// `confab debug info`: metadata, tensors, and the memory that a model takes.
int debug_info(const DebugOptions& options, std::ostream& out);

// `confab debug cache-stat`: what the prompt cache has been good for, and what it has of a prompt.
// Writes one JSON object. Without tokens: the totals of the use log. With them: also what a model
// would find of a prompt of these, and how long verifying and mapping that took; the log does not
// count it. Throws UserError, ModelError, StoreError.
int debug_cache_stat(const DebugOptions& options, const Paths& paths,
                     const std::vector<engine::Token>& tokens, std::ostream& out);

// Runs one debug command and returns the exit status. Throws UserError, ModelError, StoreError.
int run_debug(const DebugOptions& options, const Paths& paths, std::istream& in, std::ostream& out,
              std::ostream& err);

}  // namespace confab::app
