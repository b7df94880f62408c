// SPDX-License-Identifier: MIT
// Picks the next token from a row of logits.
//
// The steps are: biases of single tokens and ignore_eos, then the samplers in the order of
// SamplerParams::samplers (engine/run/sampling/), then the draw. With Mirostat only penalties, DRY
// and temperature apply, and Mirostat chooses from what they leave. Temperature 0 is greedy; among
// equal logits the lowest id wins. Logits that are NaN or infinite are never picked.
//
// The same seed and logits give the same tokens on every machine. State that is kept from token to
// token (recent tokens, Mirostat's mu) changes only in accept(). So a row may be sampled again with
// some logits at -infinity, as if only the last time had happened. But each time consumes random
// numbers: one for XTC, and one for the draw. sample() allocates nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/api/sampler_params.h"
#include "engine/api/token.h"

namespace confab::engine {

class Tokenizer;

class Sampler {
 public:
  // `tokenizer` must be the one of these tokens and outlive the object. Without it, no token ends
  // an answer or a repetition, and biases can only name tokens by number. Throws ModelError if a
  // parameter is out of range.
  Sampler(const SamplerParams& params, int n_vocab, const Tokenizer* tokenizer = nullptr);
  ~Sampler();
  Sampler(Sampler&&) noexcept;

  // Call it for each token added to the context, whether it is from the prompt or from sample().
  void accept(Token token);
  // logits [n_vocab] are not changed. Does not call accept(). Throws ModelError if no logit is
  // finite.
  Token sample(std::span<const float> logits);
  // How many of the best logits sample() needs to pick the same token as from the whole row, with
  // the same random numbers afterwards. 0: it needs all of them.
  int n_enough() const noexcept;
  // The same, given these best logits, in descending order; equal ones by ascending id.
  Token sample(std::span<const TopLogit> best);
  std::uint64_t seed() const noexcept;

 private:
  Token sample_begun();

  struct State;
  std::unique_ptr<State> state_;
};

// Throws ModelError that names the first parameter out of range, the value found and the values
// expected. Public for its test.
void check_params(const SamplerParams& params);

}  // namespace confab::engine
