// SPDX-License-Identifier: MIT
// `confab fit`: what a model would take of memory, and whether this machine has that; by its
// metadata and sizes alone, before anything is loaded.
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
  std::string name;  // of the model; untrusted text
  engine::ContextPlan plan = {};
  engine::platform::MemoryFacts facts = {};
  bool is_this_machine = true;  // else `facts` say nothing
  std::string draft = {};       // why there is no draft model; empty: there is, or none was named
  std::string advice = {};      // what would fit; empty: it fits
  int n_layer = 0;
  std::vector<engine::DeviceFit> devices = {};  // graphics processors of this machine
};

// "fits: it takes 5.2 GiB of the 22.6 GiB that are available".
std::string verdict(const FitReport& report);

void print_fit(const FitReport& report, std::ostream& out);
void print_fit_json(const FitReport& report, std::ostream& out);

// Prints the plan or, with options.table, the sizing guide. Returns the exit status: success where
// the model fits, does_not_fit where it does not. Throws ModelError, UserError.
int run_fit(const FitOptions& options, std::ostream& out);

}  // namespace confab::app
