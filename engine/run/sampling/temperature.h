// SPDX-License-Identifier: MIT
// Temperature: logits are divided by it; one of 0 leaves the best token alone.
#pragma once

#include "engine/run/sampling/candidates.h"

namespace confab::engine {

struct Temperature {
  float temperature;
  // With a range > 0 it depends on how unsure the model is: from temperature - range, but at least
  // 0, where it is sure, to temperature + range where all candidates are equally likely, by the
  // entropy's part of what it can be at most, to the power of `exponent`.
  float range;
  float exponent;

  bool is_greedy() const noexcept { return temperature == 0 && range == 0; }
};

void apply_temperature(Candidates& candidates, const Temperature& how) noexcept;

}  // namespace confab::engine
