// SPDX-License-Identifier: MIT
// What models make of some tokens, wherever their weights lie.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/gguf/quantized.h"

namespace confab::engine {

inline std::vector<float> logits_of(Gguf gguf) {
  Hparams hparams = Hparams::load(gguf);
  Weights weights = Weights::load(gguf, hparams);
  const Model model{std::move(gguf), std::move(hparams), std::move(weights), nullptr};
  return run_model(model, some_tokens(40, 7), {}, {16, 1});
}

// The furthest that logits are apart, as a share of the largest.
inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::fabs(double{a[i]} - b[i]));
    largest = std::max(largest, std::fabs(double{b[i]}));
  }
  return a.size() == b.size() && largest > 0 ? most / largest : 1;
}

}  // namespace confab::engine
