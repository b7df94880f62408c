// SPDX-License-Identifier: MIT
// Faults at one call after the other of a stage of the scenario.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <ostream>
#include <random>
#include <string>

#include "tests/faults/child.h"

namespace confab::faults {

enum class Persistence { once, from_then_on };

// At every stride-th call, from a random one of the first; with CONFAB_FAULTS=all at every one.
struct Sweep {
  const char* fault;
  std::size_t stage;
  long stride = 1;
  Persistence persistence = Persistence::once;

  Fault at(long call) const {
    return {.name = fault, .at = call, .forever = persistence == Persistence::from_then_on};
  }
};

inline bool all_faults_wanted() {
  const char* wanted = std::getenv("CONFAB_FAULTS");
  return wanted != nullptr && std::string(wanted) == "all";
}

// The calls of a sweep: it ends where the program is no longer met by the fault.
class Calls {
 public:
  explicit Calls(const Sweep& sweep) : stride_(all_faults_wanted() ? 1 : sweep.stride) {
    at_ = 1 + static_cast<long>(std::random_device{}() % static_cast<unsigned>(stride_));
  }
  long at() const noexcept { return at_; }
  void next() noexcept { at_ += stride_; }

 private:
  long stride_;
  long at_;
};

inline std::string name_of(const testing::TestParamInfo<Sweep>& info) {
  static constexpr const char* kStages[] = {"Chat", "Once", "Resumed", "Deleted", "Branches"};
  std::string name;
  for (const char* c = info.param.fault; *c != '\0'; ++c)
    if (std::isalpha(static_cast<unsigned char>(*c)) != 0) name += *c;
  if (info.param.persistence == Persistence::from_then_on) name += "FromThenOn";
  return name + kStages[info.param.stage];
}

}  // namespace confab::faults
