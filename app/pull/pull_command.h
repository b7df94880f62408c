// SPDX-License-Identifier: MIT
// `confab pull ORG/NAME[:QUANT]`: a model of the hub, into the folder that all its programs share.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// `confab rm MODEL`: removes from the disk what confab pulled, and nothing else.
// MODEL is as for confab pull, or a file's name; without a quantisation all of the repository that
// was pulled. Asks on `out` and reads the answer from `in`, unless options.yes. What another
// snapshot still links to stays. Returns the exit status: 1 when the answer is no. Throws
// NoModelError for what confab did not pull, UserError, ModelError.
int run_rm(const RemoveOptions& options, const Paths& paths, std::istream& in, std::ostream& out);

// The models of the list that fit this machine, in words.
struct SuggestedPulls {
  std::string models;   // two lines for each: what it is, and what to type
  std::string about;    // how much fits, and where the list is; two lines
  bool is_any = false;  // whether one fits
};

// command: what stands before a model's name, "confab pull" or "/pull". Throws UserError for a list
// that is none.
SuggestedPulls suggested_pulls(const Paths& paths, std::string_view command);

// `out` gets the path of the model's file, once it is there and checked; a terminal's stderr shows
// how far it is, and `err` what there is to know, unless it is to be quiet. With `suggest`, `out`
// gets three models that fit. Returns the exit status: 130 when interrupted, after which the same
// command goes on; 4 when no model of the list fits. Throws UserError, ModelError.
int run_pull(const PullOptions& options, const Paths& paths, std::ostream& out, std::ostream& err);

}  // namespace confab::app
