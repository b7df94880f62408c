// SPDX-License-Identifier: MIT
// `confab pull ORG/NAME[:QUANT]`: pulls a model of the hub into the folder that all its programs
// share.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// `confab rm MODEL`: removes what confab pulled from the disk, and nothing else. MODEL is as for
// confab pull, or the name of a file; without a quantisation, everything that was pulled of the
// repository. Asks on `out` and reads the answer from `in`, unless options.yes. Files that another
// snapshot still links to stay. Returns the exit status: 1 if the answer is no. Throws NoModelError
// for a model that confab did not pull, UserError, ModelError.
int run_rm(const RemoveOptions& options, const Paths& paths, std::istream& in, std::ostream& out);

// The models of the list that fit this machine, as text.
struct SuggestedPulls {
  std::string models;   // two lines per model: what it is, and what to type
  std::string about;    // two lines: how much fits, and where the list is
  bool is_any = false;  // whether any model fits
};

// command: what to put before a model's name, "confab pull" or "/pull". Throws UserError for an
// invalid list.
SuggestedPulls suggested_pulls(const Paths& paths, std::string_view command);

// `out` receives the path of the model's file, once it is there and checked. A terminal's stderr
// shows the progress, and `err` receives notes unless options.quiet. With `suggest`, `out` receives
// three models that fit. Returns the exit status: 130 if interrupted, after which the same command
// resumes; 4 if no model of the list fits. Throws UserError, ModelError.
int run_pull(const PullOptions& options, const Paths& paths, std::ostream& out, std::ostream& err);

}  // namespace confab::app
