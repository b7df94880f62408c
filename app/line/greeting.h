// SPDX-License-Identifier: MIT
// What the line chat begins with, in signs that every terminal has and a screen reader reads well.
#pragma once

#include <string>
#include <vector>

#include "app/chat/welcome.h"

namespace confab::app {

// A screen reader says "middle dot", and not every terminal without a cursor has the sign.
std::string in_ascii(std::string line);

// Looks for models where the bundled one answers, which may take a moment.
std::vector<std::string> greeting(const engine::ModelInfo& model, bool is_demo, Keeping keeping);

}  // namespace confab::app
