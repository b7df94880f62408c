// SPDX-License-Identifier: MIT
// The debug commands that convert text to tokens and back, and messages to prompts.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

int debug_tokenize(const DebugOptions& options, std::istream& in, std::ostream& out);
int debug_detokenize(const DebugOptions& options, std::istream& in, std::ostream& out);
int debug_render(const DebugOptions& options, std::istream& in, std::ostream& out,
                 std::ostream& err);

}  // namespace confab::app
