// SPDX-License-Identifier: MIT
#include "engine/run/sampling/filters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/run/sampling/portable_math.h"

namespace confab::engine {
namespace {

// Standard deviation of the logits, computed relative to the greatest, so that large values do not
// lose digits.
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

// The least float that is not below x.
float at_least(double x) noexcept {
  const auto rounded =
      static_cast<float>(std::max(x, double{std::numeric_limits<float>::lowest()}));
  return rounded < x ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
}

// The candidates' entropy, as a share of the entropy of equally likely ones.
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

// The exponent of Zipf's law that fits the descending logits, by least squares.
double zipf_exponent(std::span<const float> best, double temperature) noexcept {
  double products = 0, squares = 0;
  for (std::size_t i = 0; i + 1 < best.size(); ++i) {
    const double ranks = portable_log(static_cast<double>(i + 2) / static_cast<double>(i + 1));
    products += ranks * ((double{best[i]} - best[i + 1]) / temperature);
    squares += ranks * ranks;
  }
  return products / squares;
}

}  // namespace

void keep_top_p(Candidates& candidates, float p) noexcept {
  candidates.keep_mass(p * candidates.weigh().total);
}

void keep_min_p(Candidates& candidates, float p) noexcept {
  candidates.keep_from(candidates.bar_of(p));
}

// Let Z be the sum of all e^x. Then -ln P is ln Z - x, and the entropy is ln Z minus the mean of x,
// so they differ by the distance of x from its mean.
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
  if (least > 1) return;  // not even the likeliest token is that probable
  candidates.drop_above_last(candidates.bar_of(least));
}

void apply_temperature(Candidates& candidates, const Temperature& how) noexcept {
  if (candidates.size() == 1) return;
  const double temperature = temperature_of(candidates, how);
  if (temperature == 0) return candidates.keep_best(1);
  candidates.divide(temperature);
}

Mirostat::Mirostat(const SamplerParams& params, int n_vocab)
    : version_(params.mirostat),
      n_vocab_(n_vocab),
      tau_(params.mirostat_tau),
      eta_(params.mirostat_eta),
      mu_(2 * tau_) {}

// k = (epsilon 2^mu / (1 - N^-epsilon))^(1/s) with epsilon = s - 1; the limit for epsilon = 0 is
// 2^mu / ln N. At least one, and at most all.
std::size_t Mirostat::n_kept(Candidates& candidates) noexcept {
  const std::size_t n = candidates.size();
  if (n == 1) return 1;
  const std::span<float> best = std::span(best_).first(std::min(n, kEstimated));
  candidates.copy_best(best);
  const double s = zipf_exponent(best, candidates.temperature());
  const double epsilon = s - 1, log_n = portable_log(n_vocab_);
  const double shrinkage = 1 - portable_exp(-epsilon * log_n);
  const double factor = std::abs(epsilon) < 1e-9 ? 1 / log_n : epsilon / shrinkage;
  const double log_k = portable_log(factor * portable_pow(2, mu_)) / s;
  const double log_most = portable_log(static_cast<double>(n));
  if (!(log_k > 0)) return 1;
  return log_k < log_most ? static_cast<std::size_t>(portable_exp(log_k)) : n;
}

void Mirostat::truncate(Candidates& candidates) noexcept {
  if (version_ == 1) return candidates.keep_best(std::max<std::size_t>(1, n_kept(candidates)));
  const double least = candidates.weigh().total * portable_pow(2, -mu_);
  if (least > 1) return candidates.keep_best(1);
  candidates.keep_from(candidates.bar_of(least));
}

void Mirostat::accept(Token token) noexcept {
  if (token == drawn_.token) mu_ -= eta_ * (-portable_log2(drawn_.probability) - tau_);
  drawn_.token = kNone;
}

}  // namespace confab::engine
