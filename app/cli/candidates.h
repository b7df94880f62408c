// SPDX-License-Identifier: MIT
// What a shell may offer where only this program knows what there is.
#pragma once

#include <string>

#include "app/cli/command_shape.h"

namespace confab::app {

// The models, themes or conversations of this machine: a line each, the text to offer and, behind a
// tab, what it is. Conversations are told by their titles, the last used first; those whose titles
// are not their own, or cannot be typed, by their numbers. Quiet: what is missing or fails gives no
// lines, and nothing is created.
std::string candidates(ValueKind kind);

}  // namespace confab::app
