// SPDX-License-Identifier: MIT
// The chat line by line: for pipes, dumb terminals, screen readers and --plain. Answers go to
// stdout, everything else to stderr.
#pragma once

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Returns the exit status. Throws like open_backend().
int run_plain_chat(const ChatOptions& options, const Paths& paths);

}  // namespace confab::app
