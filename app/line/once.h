// SPDX-License-Identifier: MIT
// `confab -p`: one prompt, one answer on stdout, everything else on stderr.
#pragma once

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// Returns the exit status (app/exit_status.h): what stands in it for the answers, or 128 and the
// number of the signal that ended them; what was written stays. Throws like open_backend(), and
// TooLongError.
int run_once(const ChatOptions& options, const Paths& paths);

}  // namespace confab::app
