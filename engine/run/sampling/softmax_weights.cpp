// SPDX-License-Identifier: MIT
#include "engine/run/sampling/softmax_weights.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>

#include "engine/run/sampling/lanes.h"

namespace confab::engine {
namespace {

constexpr float kLeast = -87;  // e^x is a normal number from here on

// e^x for x <= 0: x = k ln 2 + r with |r| <= ln 2 / 2, then Taylor's series to r^7, whose first
// term left out is below 1e-8. Adding 1.5 * 2^23 rounds to a whole number, whose low bits k then
// is.
Floats exp_of(Floats x) noexcept {
  constexpr float kLog2E = 1.44269504F, kRound = 12582912, kLn2High = 0.693359375F,
                  kLn2Low = -2.12194440e-4F;
  const Floats rounded = x * kLog2E + kRound;
  const Floats k = rounded - kRound;
  const Floats r = (x - k * kLn2High) - k * kLn2Low;
  Floats sum = r * (1.0F / 5040) + 1.0F / 720;
  sum = sum * r + 1.0F / 120;
  sum = sum * r + 1.0F / 24;
  sum = sum * r + 1.0F / 6;
  sum = sum * r + 0.5F;
  sum = sum * r + 1;
  sum = sum * r + 1;
  const Words bits = std::bit_cast<Words>(sum) + (std::bit_cast<Words>(rounded) << 23);
  const Words in_range = std::bit_cast<Words>(x > kLeast);
  return std::bit_cast<Floats>(bits & in_range);  // else they are of no number
}

struct Sums {
  double weights = 0;
  double moments = 0;  // of x
};

double sum_of(Floats x) noexcept {
  return (double{x[0]} + double{x[1]}) + (double{x[2]} + double{x[3]});
}

// At most kWeightBlock logits, in whole lanes; single precision only over short stretches.
Sums weigh(const float* logits, std::size_t n, Floats best, Floats per_degree,
           float* weights) noexcept {
  constexpr std::size_t kStretch = 8 * kLanes;
  Sums sums;
  for (std::size_t begin = 0; begin < n; begin += kStretch) {
    Floats total = all_of(0), moment = all_of(0);
    for (std::size_t i = begin; i < std::min(n, begin + kStretch); i += kLanes) {
      const Floats x = (load(logits + i) - best) * per_degree;
      const Floats weight = exp_of(x);
      store(weight, weights + i);
      total += weight;
      moment += weight > 0.0F ? weight * x : all_of(0);  // x may be -infinity
    }
    sums.weights += sum_of(total);
    sums.moments += sum_of(moment);
  }
  return sums;
}

}  // namespace

SoftmaxSums softmax_weights(std::span<const float> logits, float best, double temperature,
                            std::span<float> weights, std::span<double> block_sums) noexcept {
  assert(weights.size() == logits.size());
  assert(block_sums.size() == (logits.size() + kWeightBlock - 1) / kWeightBlock);
  constexpr double kMost = std::numeric_limits<float>::max();
  const Floats bests = all_of(best);
  const Floats per_degree = all_of(static_cast<float>(std::min(1 / temperature, kMost)));
  Sums all;
  const std::size_t n = logits.size(), n_whole = n - n % kLanes;
  for (std::size_t begin = 0, block = 0; begin < n; begin += kWeightBlock, ++block) {
    const std::size_t end = std::min(begin + kWeightBlock, n_whole);
    Sums sums;
    if (begin < end)
      sums = weigh(logits.data() + begin, end - begin, bests, per_degree, weights.data() + begin);
    if (begin + kWeightBlock > n_whole && n_whole < n) {
      std::array<float, kLanes> last, last_weights;
      last.fill(-std::numeric_limits<float>::infinity());
      std::copy(logits.begin() + static_cast<std::ptrdiff_t>(n_whole), logits.end(), last.begin());
      const Sums rest = weigh(last.data(), kLanes, bests, per_degree, last_weights.data());
      std::copy_n(last_weights.begin(), n - n_whole,
                  weights.begin() + static_cast<std::ptrdiff_t>(n_whole));
      sums.weights += rest.weights;
      sums.moments += rest.moments;
    }
    block_sums[block] = sums.weights;
    all.weights += sums.weights;
    all.moments += sums.moments;
  }
  return {all.weights, all.moments / all.weights};
}

}  // namespace confab::engine
