// SPDX-License-Identifier: MIT
#pragma once

#include "engine/api/token.h"

namespace confab::engine {

// Of the best of a row of logits.
struct TopLogit {
  float logit;
  Token token;
};

}  // namespace confab::engine
