// SPDX-License-Identifier: MIT
// `confab --yes-no` and `--choose`: one of a few texts on stdout, everything else on stderr.
#pragma once

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// options.decision is wanted. Returns the exit status: 0, or 1 for "no" and for an error, which has
// nothing on stdout; 3 when no choice is as likely as the threshold; 130 when interrupted. Throws
// like open_backend().
int run_decide(const ChatOptions& options, const Paths& paths);

}  // namespace confab::app
