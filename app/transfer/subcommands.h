// SPDX-License-Identifier: MIT
// `confab list`, `search`, `export` and so on: commands for saved conversations. None loads a
// model.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Returns the exit status: 1 for a search that finds nothing, as with grep. Throws UserError,
// StoreError.
int run_conversations(const ConversationOptions& options, const Paths& paths, std::istream& in,
                      std::ostream& out);

}  // namespace confab::app
