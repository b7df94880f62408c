// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace confab::engine {

// A token, by its index in the model's vocabulary.
using Token = std::int32_t;

// One of the best entries in a row of logits.
struct TopLogit {
  float logit;
  Token token;
};

}  // namespace confab::engine
