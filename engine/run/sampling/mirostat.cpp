// SPDX-License-Identifier: MIT
#include "engine/run/sampling/mirostat.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/run/sampling/portable_math.h"

namespace confab::engine {
namespace {

// The exponent of Zipf's law by which the logits, from the best down, fall; by least squares.
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

Mirostat::Mirostat(const SamplerParams& params, int n_vocab)
    : version_(params.mirostat),
      n_vocab_(n_vocab),
      tau_(params.mirostat_tau),
      eta_(params.mirostat_eta),
      mu_(2 * tau_) {}

// k = (epsilon 2^mu / (1 - N^-epsilon))^(1/s) with epsilon = s - 1, whose limit for epsilon = 0 is
// 2^mu / ln N; at least one and at most all.
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
