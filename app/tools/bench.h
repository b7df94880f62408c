// SPDX-License-Identifier: MIT
// `confab bench`: the speed of prefill and decoding in tokens per second, compared with what the
// machine's memory allows.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

// Prints a table (Markdown or JSON) on `out`, and what is measured on `err`; a terminal also shows
// the progress. Returns the exit status. Throws ModelError, UserError.
int run_bench(const BenchOptions& options, std::ostream& out, std::ostream& err);

}  // namespace confab::app
