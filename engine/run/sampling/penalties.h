// SPDX-License-Identifier: MIT
// Penalties for tokens that stand among the last ones.
#pragma once

#include <vector>

#include "engine/api/sampler_params.h"
#include "engine/run/sampling/candidates.h"

namespace confab::engine {

class Penalties {
 public:
  Penalties(const SamplerParams& params, int n_vocab);

  bool are_on() const noexcept { return !ring_.empty(); }
  void accept(Token token) noexcept;
  // Positive logits of recent tokens are divided by repeat_penalty and negative ones multiplied
  // (Keskar et al. 2019, https://arxiv.org/abs/1909.05858); the other two penalties are subtracted,
  // by count and once.
  void apply(Candidates& candidates) noexcept;

 private:
  float repeat_;
  float frequency_;
  float presence_;
  std::vector<Token> ring_;  // the last repeat_last_n tokens; empty: they are off
  std::vector<int> counts_;  // [n_vocab], how often each stands in the ring
  std::vector<LogitEdit> edits_;
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

}  // namespace confab::engine
