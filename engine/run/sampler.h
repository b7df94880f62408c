// SPDX-License-Identifier: MIT
// Picks the next token from a row of logits.
//
// Order: repetition penalties, then top-k, top-p, min-p, temperature, draw. Temperature 0 is
// greedy (of equal logits the lowest id wins). The same seed and logits give the same tokens on
// every machine. Logits that are NaN or infinite are never picked. After the constructor nothing
// is allocated, but for the first sample() with penalties.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/api/sampler_params.h"
#include "engine/api/token.h"

namespace confab::engine {

class Sampler {
 public:
  // Throws ModelError when a parameter is out of its range.
  Sampler(const SamplerParams& params, int n_vocab);
  ~Sampler();
  Sampler(Sampler&&) noexcept;

  // A token that has been added to the context, by the prompt or by sample().
  void accept(Token token);
  // logits [n_vocab]; not changed. Does not call accept(). Throws ModelError when none is finite.
  Token sample(std::span<const float> logits);
  std::uint64_t seed() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace confab::engine
