// SPDX-License-Identifier: MIT
// `confab bench`: prefill and decode in tokens a second, beside what the machine's memory allows.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

// Prints a table (Markdown or JSON) on out, what is measured on err; how far it is is shown on a
// terminal. Returns the exit status. Throws
// ModelError, UserError.
int run_bench(const BenchOptions& options, std::ostream& out, std::ostream& err);

}  // namespace confab::app
