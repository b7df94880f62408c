// SPDX-License-Identifier: MIT
// `confab engines`: the engines that config.toml names, and those that run on this machine.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

// Returns the exit status: 1 where an engine that was to be checked does not answer.
int run_engines(const EnginesQuery& query, std::ostream& out, std::ostream& err);

}  // namespace confab::app
