// SPDX-License-Identifier: MIT
// `confab --yes-no` and `--choose`: one of a few texts on stdout, everything else on stderr.
#pragma once

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// options.decision is wanted. Returns the exit status (app/exit_status.h): success, or that of a
// failure for "no" as well, which alone has something on stdout; no_valid_answer when no choice is
// as likely as the threshold; 128 and its number for a signal. Throws like open_backend(), and
// TooLongError.
int run_decide(const ChatOptions& options, const Paths& paths);

}  // namespace confab::app
