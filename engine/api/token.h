// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace confab::engine {

// A token by its number in the model's vocabulary.
using Token = std::int32_t;

// Of the best of a row of logits.
struct TopLogit {
  float logit;
  Token token;
};

}  // namespace confab::engine
