// SPDX-License-Identifier: MIT
// `confab quantize IN.gguf OUT.gguf TYPE`: writes a model file with fewer bits per weight.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

// Writes one line on `out` when the file is complete; a terminal's stderr shows the progress.
// Returns the exit status: 130 if interrupted, which leaves nothing behind. Throws UsageError,
// ModelError.
int run_quantize(const QuantizeCommand& command, std::ostream& out);

}  // namespace confab::app
