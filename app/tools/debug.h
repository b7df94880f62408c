// SPDX-License-Identifier: MIT
// `confab debug`: looks inside the engine, for tests and for people who report bugs. Input and
// output have plain formats, documented in docs/looking-inside.md.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// The debug commands that convert text to tokens and back, and messages to prompts.
int debug_tokenize(const DebugOptions& options, std::istream& in, std::ostream& out);
int debug_detokenize(const DebugOptions& options, std::istream& in, std::ostream& out);
int debug_render(const DebugOptions& options, std::istream& in, std::ostream& out,
                 std::ostream& err);

// `confab debug info`: shows metadata, tensors, and the memory that a model needs.
int debug_info(const DebugOptions& options, std::ostream& out);

// `confab debug cache-stat`: how useful the prompt cache has been, and what it contains of a
// prompt. Writes one JSON object. Without tokens it has the totals of the use log. With tokens it
// also says how much of a prompt of these tokens a model would find, and how long verifying and
// mapping that took; this look-up is not logged. Throws UserError, ModelError, StoreError.
int debug_cache_stat(const DebugOptions& options, const Paths& paths,
                     const std::vector<engine::Token>& tokens, std::ostream& out);

// Runs one debug command and returns the exit status. Throws UserError, ModelError, StoreError.
int run_debug(const DebugOptions& options, const Paths& paths, std::istream& in, std::ostream& out,
              std::ostream& err);

}  // namespace confab::app
