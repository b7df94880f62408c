// SPDX-License-Identifier: MIT
// `confab engines`: lists the engines that config.toml names, and those that run on this machine.
#pragma once

#include <iosfwd>

#include "app/options.h"

namespace confab::app {

// Returns the exit status: 1 if an engine that was to be checked does not answer.
int run_engines(const EnginesQuery& query, std::ostream& out, std::ostream& err);

}  // namespace confab::app
