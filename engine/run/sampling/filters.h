// SPDX-License-Identifier: MIT
// Samplers that go by the logits of the candidates alone: filters, which take candidates away and
// leave at least one each, temperature and Mirostat.
#pragma once

#include <array>

#include "engine/api/sampler_params.h"
#include "engine/run/pcg32.h"
#include "engine/run/sampling/candidates.h"
#include "engine/run/sampling/draw.h"

namespace confab::engine {

// The likeliest tokens whose probabilities reach `p`, the last one included (nucleus sampling;
// Holtzman et al. 2020, https://arxiv.org/abs/1904.09751).
void keep_top_p(Candidates& candidates, float p) noexcept;
// Tokens at least `p` times as likely as the likeliest (Nguyen et al. 2024,
// https://arxiv.org/abs/2407.01082).
void keep_min_p(Candidates& candidates, float p) noexcept;
// Tokens whose surprise -ln P is nearest to the entropy, until their probabilities reach `p`
// (Meister et al. 2023, https://arxiv.org/abs/2202.00666). Of equally near ones the likelier first
// where there are few candidates, else the lowest id.
void keep_typical(Candidates& candidates, float p) noexcept;
// Logits at most n standard deviations of all below the greatest (Tang et al. 2024,
// https://arxiv.org/abs/2411.07641).
void keep_top_n_sigma(Candidates& candidates, float n) noexcept;

struct Xtc {
  float probability;
  float threshold;
};
// Excludes the top choices: with this probability, of two or more tokens that are at least as
// probable as the threshold all but the least likely are taken away (P. E. Weidmann 2024,
// https://github.com/oobabooga/text-generation-webui/pull/6335). Draws one random number where
// there are two candidates or more, whether or not any is taken away.
void exclude_top_choices(Candidates& candidates, Xtc xtc, Pcg32& random) noexcept;

// Temperature: logits are divided by it; one of 0 leaves the best token alone.
struct Temperature {
  float temperature;
  // With a range > 0 it depends on how unsure the model is: from temperature - range, but at least
  // 0, where it is sure, to temperature + range where all candidates are equally likely, by the
  // entropy's part of what it can be at most, to the power of `exponent`.
  float range;
  float exponent;

  bool is_greedy() const noexcept { return temperature == 0 && range == 0; }
};

void apply_temperature(Candidates& candidates, const Temperature& how) noexcept;

// Mirostat: keeps the surprise of a text, -log2 P of each token, near a target (Basu et al. 2021,
// https://arxiv.org/abs/2007.14966). Version 1 keeps as many of the best tokens as, by Zipf's law
// with an exponent estimated from the best hundred, bring that about; version 2 those whose
// surprise is at most mu. Both then move mu by the error of what was drawn.
class Mirostat {
 public:
  Mirostat(const SamplerParams& params, int n_vocab);

  bool is_on() const noexcept { return version_ != 0; }
  // Mu stays as it is.
  void truncate(Candidates& candidates) noexcept;
  // What was drawn of them. Mu learns from it when it is accepted, the last time only.
  void note(const Drawn& drawn) noexcept { drawn_ = drawn; }
  void accept(Token token) noexcept;
  double mu() const noexcept { return mu_; }

 private:
  static constexpr std::size_t kEstimated = 100;
  static constexpr Token kNone = -1;

  std::size_t n_kept(Candidates& candidates) noexcept;

  int version_;
  double n_vocab_;
  double tau_;  // the target, in bits
  double eta_;  // how fast mu learns
  double mu_;
  Drawn drawn_{kNone, 1};
  std::array<float, kEstimated> best_{};
};

}  // namespace confab::engine
