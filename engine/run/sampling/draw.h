// SPDX-License-Identifier: MIT
// The end of sampling: one of the candidates, each by its probability.
#pragma once

#include "engine/run/pcg32.h"
#include "engine/run/sampling/candidates.h"

namespace confab::engine {

struct Drawn {
  Token token;
  double probability;  // among the candidates
};

// Draws one random number.
Drawn draw(Candidates& candidates, Pcg32& random) noexcept;

}  // namespace confab::engine
