// SPDX-License-Identifier: MIT
#include "engine/run/sampling/temperature.h"

#include <algorithm>

#include "engine/run/sampling/portable_math.h"

namespace confab::engine {
namespace {

// Of the candidates' entropy, which part it is of that of equally likely ones.
double unsureness(Candidates& candidates) noexcept {
  const SoftmaxSums sums = candidates.weigh();
  const double entropy = portable_log(sums.total) - sums.mean;
  const double most = portable_log(static_cast<double>(candidates.size()));
  return std::clamp(entropy / most, 0.0, 1.0);
}

double temperature_of(Candidates& candidates, const Temperature& how) noexcept {
  if (how.range == 0) return how.temperature;
  const double least = std::max(0.0, double{how.temperature} - how.range);
  const double most = double{how.temperature} + how.range;
  return least + (most - least) * portable_pow(unsureness(candidates), how.exponent);
}

}  // namespace

void apply_temperature(Candidates& candidates, const Temperature& how) noexcept {
  if (candidates.size() == 1) return;
  const double temperature = temperature_of(candidates, how);
  if (temperature == 0) return candidates.keep_best(1);
  candidates.divide(temperature);
}

}  // namespace confab::engine
