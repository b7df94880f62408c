// SPDX-License-Identifier: MIT
// Mirostat: keeps the surprise of a text, -log2 P of each token, near a target (Basu et al. 2021,
// https://arxiv.org/abs/2007.14966). Version 1 keeps as many of the best tokens as, by Zipf's law
// with an exponent estimated from the best hundred, bring that about; version 2 those whose
// surprise is at most mu. Both then move mu by the error of what was drawn.
#pragma once

#include <array>

#include "engine/api/sampler_params.h"
#include "engine/run/sampling/candidates.h"
#include "engine/run/sampling/draw.h"

namespace confab::engine {

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
