// SPDX-License-Identifier: MIT
// The command line of `confab engines`.
#pragma once

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

void add_engines_options(CLI::App& app, EnginesQuery& query);

}  // namespace confab::app
