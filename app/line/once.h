// SPDX-License-Identifier: MIT
// `confab -p`: one prompt, one answer on stdout, everything else on stderr.
#pragma once

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Returns the exit status: 0, 1 when the answer failed, 130 when interrupted (what was written
// stays). Throws like open_backend().
int run_once(const ChatOptions& options, const Paths& paths);

}  // namespace confab::app
