// SPDX-License-Identifier: MIT
// What candidates weigh by the softmax of their logits, for very many of them: in single precision,
// and the same on every machine.
#pragma once

#include <cstddef>
#include <span>

namespace confab::engine {

// Weights whose sum is kept for the draw.
constexpr std::size_t kWeightBlock = 256;

struct SoftmaxSums {
  double total = 0;  // of the weights
  double mean = 0;   // of x by these weights: the entropy is ln(total) - mean
};

// weights[i] = e^x with x = (logits[i] - best) / temperature, within 1e-6 of it where the logits
// are near the best; 0 for x below -87. `best` is the greatest logit, which has the weight 1.
// weights [n], block_sums [n / kWeightBlock, rounded up]. Temperature > 0; logits are finite.
SoftmaxSums softmax_weights(std::span<const float> logits, float best, double temperature,
                            std::span<float> weights, std::span<double> block_sums) noexcept;

}  // namespace confab::engine
