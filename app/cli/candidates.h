// SPDX-License-Identifier: MIT
// Completions that only this program knows.
#pragma once

#include <string>

#include "app/cli/command_shape.h"

namespace confab::app {

// The models, themes, conversations or own templates of this machine, one per line: the text to
// offer and, after a tab, a description. Conversations are offered by title, most recently used
// first, or by number if the title is shared or cannot be typed. Failures are silent: they produce
// no lines, and nothing is ever created.
std::string candidates(ValueKind kind);

}  // namespace confab::app
