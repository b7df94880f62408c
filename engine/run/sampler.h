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
#include <optional>
#include <span>

#include "engine/text/tokenizer.h"

namespace confab::engine {

struct SamplerParams {
  float temperature = 0.8F;
  int top_k = 40;            // 0: off
  float top_p = 0.95F;       // 1: off
  float min_p = 0.05F;       // 0: off
  float repeat_penalty = 1;  // 1: off; divides positive logits of recent tokens
  float frequency_penalty = 0;
  float presence_penalty = 0;
  int repeat_last_n = 64;                  // how many recent tokens the penalties look at
  std::optional<std::uint64_t> seed = {};  // none: a fresh one each time
};

class Sampler {
 public:
  // Throws ModelError when a parameter is out of its range.
  Sampler(const SamplerParams& params, int n_vocab);
  ~Sampler();

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
