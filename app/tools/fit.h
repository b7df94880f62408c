// SPDX-License-Identifier: MIT
// `confab fit`: how much memory a model would need, and whether this machine has that. Uses only
// the model's metadata and sizes, before anything is loaded.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/options.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"
#include "engine/run/device_fit.h"

namespace confab::app {

struct FitReport {
  std::string name;  // name of the model; untrusted text
  engine::ContextPlan plan = {};
  engine::platform::MemoryFacts facts = {};
  bool is_this_machine = true;  // if false, `facts` do not apply
  std::string draft = {};   // why there is no draft model; empty: there is one, or none was named
  std::string advice = {};  // what would fit instead; empty: the model fits
  int n_layer = 0;
  std::vector<engine::DeviceFit> devices = {};  // the graphics processors of this machine
};

// For example "fits: it takes 5.2 GiB of the 22.6 GiB that may be taken".
std::string verdict(const FitReport& report);

void print_fit(const FitReport& report, std::ostream& out);
void print_fit_json(const FitReport& report, std::ostream& out);

// Prints the plan or, with options.table, the sizing guide. Returns the exit status: success if the
// model fits, otherwise does_not_fit. Throws ModelError, UserError.
int run_fit(const FitOptions& options, std::ostream& out);

}  // namespace confab::app
