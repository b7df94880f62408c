// SPDX-License-Identifier: MIT
#include "engine/run/sampling/filters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/run/sampling/lanes.h"

namespace confab::engine {
namespace {

// The standard deviation of the logits, which are taken from the greatest, so that large ones do
// not lose their digits.
double standard_deviation(std::span<const float> logits, double best) noexcept {
  using Doubles = double __attribute__((vector_size(kLanes * sizeof(double))));
  const std::size_t n_whole = logits.size() - logits.size() % kLanes;
  Doubles sums = {}, squares = {};
  for (std::size_t i = 0; i < n_whole; i += kLanes) {
    const Doubles below = __builtin_convertvector(load(&logits[i]), Doubles) - best;
    sums += below;
    squares += below * below;
  }
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double square = (squares[0] + squares[1]) + (squares[2] + squares[3]);
  for (const float logit : logits.subspan(n_whole)) {
    const double below = logit - best;
    sum += below;
    square += below * below;
  }
  const auto n = static_cast<double>(logits.size());
  return std::sqrt(std::max(0.0, square / n - (sum / n) * (sum / n)));
}

// The least float that is not below.
float at_least(double x) noexcept {
  const auto rounded =
      static_cast<float>(std::max(x, double{std::numeric_limits<float>::lowest()}));
  return rounded < x ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
}

}  // namespace

void keep_top_p(Candidates& candidates, float p) noexcept {
  candidates.keep_mass(p * candidates.weigh().total);
}

void keep_min_p(Candidates& candidates, float p) noexcept {
  candidates.keep_from(candidates.bar_of(p));
}

// With Z the sum of all e^x, -ln P is ln Z - x and the entropy ln Z less the mean of x: their
// distance is that of x from its mean.
void keep_typical(Candidates& candidates, float p) noexcept {
  const SoftmaxSums sums = candidates.weigh();
  const double mean_logit = candidates.best() + candidates.temperature() * sums.mean;
  candidates.keep_mass_near(mean_logit, p * sums.total);
}

void keep_top_n_sigma(Candidates& candidates, float n) noexcept {
  const double best = candidates.best();
  candidates.keep_from(at_least(best - n * standard_deviation(candidates.logits(), best)));
}

void exclude_top_choices(Candidates& candidates, Xtc xtc, Pcg32& random) noexcept {
  if (candidates.size() < 2 || random.next_double() >= xtc.probability) return;
  const double least = xtc.threshold * candidates.weigh().total;
  if (least > 1) return;  // not even the likeliest is so probable
  candidates.drop_above_last(candidates.bar_of(least));
}

}  // namespace confab::engine
