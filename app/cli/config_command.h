// SPDX-License-Identifier: MIT
// `confab config`: the value of each option, and where it is from.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/paths.h"

namespace confab::app {

// All options as a table, or the value alone of the one that is asked for (a line each of a list,
// none where nothing stands there); both as JSON too. faults: of config.toml and the environment,
// which `err` is told, with what else is to be told when a chat begins. Returns the exit status: 2
// with faults, since no chat would begin.
int run_config(const ConfigQuery& query, const std::vector<std::string>& faults, const Paths& paths,
               std::ostream& out, std::ostream& err);

}  // namespace confab::app
