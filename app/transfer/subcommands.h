// SPDX-License-Identifier: MIT
// `confab list`, `search`, `export` and so on: commands on saved conversations. None loads a model.
#pragma once

#include <iosfwd>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Returns the exit status: of a search that finds nothing 1, as grep's. Throws UserError,
// StoreError.
int run_conversations(const ConversationOptions& options, const Paths& paths, std::istream& in,
                      std::ostream& out);

}  // namespace confab::app
