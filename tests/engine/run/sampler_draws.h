// SPDX-License-Identifier: MIT
// What comes up when a sampler draws from the same logits many times.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "engine/run/sampler.h"
#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr std::uint64_t kSeed = 20250611;

// All filters off: what a test does not set plays no part.
inline SamplerParams plain() {
  return {.temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0, .seed = kSeed};
}

inline std::vector<float> log_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

inline std::vector<int> counts(const SamplerParams& params, const std::vector<float>& logits,
                               int n) {
  Sampler sampler(params, static_cast<int>(logits.size()));
  std::vector<int> found(logits.size());
  for (int i = 0; i < n; ++i) ++found[static_cast<std::size_t>(sampler.sample(logits))];
  return found;
}

// Which tokens come up in 4000 draws: for tests whose kept tokens all have at least 1 %.
inline std::set<Token> support(const SamplerParams& params, const std::vector<float>& logits) {
  const std::vector<int> found = counts(params, logits, 4000);
  std::set<Token> tokens;
  for (std::size_t id = 0; id < found.size(); ++id) {
    if (found[id] > 0) tokens.insert(static_cast<Token>(id));
  }
  return tokens;
}

inline double chi_square(const std::vector<int>& found, const std::vector<double>& probabilities,
                         int n) {
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double want = n * probabilities[i];
    sum += (found[i] - want) * (found[i] - want) / want;
  }
  return sum;
}

inline std::vector<float> random_logits(int n_vocab, std::uint64_t seed, double width = 20) {
  return uniform_row(static_cast<std::size_t>(n_vocab), seed, width);
}

// Every sampler alone.
inline std::vector<SamplerParams> settings_of_each() {
  std::vector<SamplerParams> all(10, plain());
  all[0].top_k = 4;
  all[1].top_p = 0.8F;
  all[2].min_p = 0.1F;
  all[3].typical_p = 0.6F;
  all[4].top_n_sigma = 1;
  all[5].xtc_probability = 0.4F;
  all[6].temperature = 1.7F;
  all[7].dynatemp_range = 0.6F;
  all[7].dynatemp_exponent = 1.5F;
  all[8].repeat_penalty = 1.4F;
  all[8].presence_penalty = 0.3F;
  all[9].dry_multiplier = 0.7F;
  all[9].dry_allowed_length = 1;
  return all;
}

}  // namespace confab::engine
