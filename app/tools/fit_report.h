// SPDX-License-Identifier: MIT
// How the plan of `confab fit` is told.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

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

}  // namespace confab::app
