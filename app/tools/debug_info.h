// SPDX-License-Identifier: MIT
// `confab debug info`: metadata, tensors, and the memory that a model takes.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

int debug_info(const DebugOptions& options, std::ostream& out);

}  // namespace confab::app
