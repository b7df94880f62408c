// SPDX-License-Identifier: MIT
// Samplers that depend only on the candidates' logits: filters, which each leave at least one
// candidate, temperature, and Mirostat.
#pragma once

#include <array>

#include "engine/api/sampler_params.h"
#include "engine/run/pcg32.h"
#include "engine/run/sampling/candidates.h"
#include "engine/run/sampling/draw.h"

namespace confab::engine {

// Keeps the likeliest tokens whose probabilities together reach `p`, including the last (nucleus
// sampling; Holtzman et al. 2020, https://arxiv.org/abs/1904.09751).
void keep_top_p(Candidates& candidates, float p) noexcept;
// Keeps tokens at least `p` times as likely as the likeliest (Nguyen et al. 2024,
// https://arxiv.org/abs/2407.01082).
void keep_min_p(Candidates& candidates, float p) noexcept;
// Keeps tokens whose surprise -ln P is nearest to the entropy, until their probabilities reach `p`
// (Meister et al. 2023, https://arxiv.org/abs/2202.00666). Among equally near tokens, the likelier
// comes first if there are few candidates, else the lowest id.
void keep_typical(Candidates& candidates, float p) noexcept;
// Keeps logits at most n standard deviations (of all logits) below the greatest (Tang et al. 2024,
// https://arxiv.org/abs/2411.07641).
void keep_top_n_sigma(Candidates& candidates, float n) noexcept;

struct Xtc {
  float probability;
  float threshold;
};
// Excludes the top choices. With this probability, and if two or more tokens are at least as
// probable as the threshold, removes all of those except the least likely (P. E. Weidmann 2024,
// https://github.com/oobabooga/text-generation-webui/pull/6335). Consumes one random number if
// there are at least two candidates, whether or not any is removed.
void exclude_top_choices(Candidates& candidates, Xtc xtc, Pcg32& random) noexcept;

// Divides logits by the temperature; 0 leaves only the best token.
struct Temperature {
  float temperature;
  // If the range is > 0, the temperature depends on how unsure the model is. It goes from
  // temperature - range (at least 0) if the model is sure, to temperature + range if all candidates
  // are equally likely. In between it follows (entropy / maximal entropy) to the power of
  // `exponent`.
  float range;
  float exponent;

  bool is_greedy() const noexcept { return temperature == 0 && range == 0; }
};

void apply_temperature(Candidates& candidates, const Temperature& how) noexcept;

// Mirostat: keeps the surprise of a text, -log2 P of each token, near a target (Basu et al. 2021,
// https://arxiv.org/abs/2007.14966). Version 1 keeps as many of the best tokens as should achieve
// that by Zipf's law, with an exponent estimated from the best hundred. Version 2 keeps tokens
// whose surprise is at most mu. Both then move mu by the error of the drawn token.
class Mirostat {
 public:
  Mirostat(const SamplerParams& params, int n_vocab);

  bool is_on() const noexcept { return version_ != 0; }
  // Does not change mu.
  void truncate(Candidates& candidates) noexcept;
  // Notes what was drawn. When that token is accepted, mu learns from the last draw only.
  void note(const Drawn& drawn) noexcept { drawn_ = drawn; }
  void accept(Token token) noexcept;
  double mu() const noexcept { return mu_; }

 private:
  static constexpr std::size_t kEstimated = 100;
  static constexpr Token kNone = -1;

  std::size_t n_kept(Candidates& candidates) noexcept;

  int version_;
  double n_vocab_;
  double tau_;  // the target surprise, in bits
  double eta_;  // learning rate of mu
  double mu_;
  Drawn drawn_{kNone, 1};
  std::array<float, kEstimated> best_{};
};

}  // namespace confab::engine
