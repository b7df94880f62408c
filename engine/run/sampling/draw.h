// SPDX-License-Identifier: MIT
// The last step of sampling: draws one candidate by its probability.
#pragma once

#include "engine/run/pcg32.h"
#include "engine/run/sampling/candidates.h"

namespace confab::engine {

struct Drawn {
  Token token;
  double probability;  // among the candidates
};

// Consumes one random number.
Drawn draw(Candidates& candidates, Pcg32& random) noexcept;

}  // namespace confab::engine
