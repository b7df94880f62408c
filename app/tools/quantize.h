// SPDX-License-Identifier: MIT
// `confab quantize IN.gguf OUT.gguf TYPE`: a model file in fewer bits.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

// Writes one line on `out` when the file is complete; on a terminal stderr shows how far it is.
// Returns the exit status: 130 when interrupted, with nothing left behind. Throws UsageError,
// ModelError.
int run_quantize(const QuantizeCommand& command, std::ostream& out);

}  // namespace confab::app
