// SPDX-License-Identifier: MIT
// Picks the next token from a row of logits.
//
// First biases of single tokens and ignore_eos, then the samplers in the order of
// SamplerParams::samplers (engine/run/sampling/ has a file for each family), then the draw. With
// Mirostat, of those samplers only penalties, DRY and the temperature count, and it chooses from
// what they leave. Temperature 0 is greedy (of equal logits the lowest id wins). Logits that are
// NaN or infinite are never picked.
//
// The same seed and logits give the same tokens on every machine. What is remembered from token to
// token (the last ones, Mirostat's mu) changes in accept() alone: sampling a row again, with other
// logits at -infinity, is as if it had been sampled the last time only. But each time takes random
// numbers: one for the draw, and before it one for XTC. Nothing is allocated by sample().
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
  // The tokenizer is the one of the tokens; it must outlive the object. Without it no token ends an
  // answer or a repetition, and biases name tokens by their numbers. Throws ModelError when a
  // parameter is out of its range.
  Sampler(const SamplerParams& params, int n_vocab, const Tokenizer* tokenizer = nullptr);
  ~Sampler();
  Sampler(Sampler&&) noexcept;

  // A token that has been added to the context, by the prompt or by sample().
  void accept(Token token);
  // logits [n_vocab]; not changed. Does not call accept(). Throws ModelError when none is finite.
  Token sample(std::span<const float> logits);
  // How many of the best logits of each row sample() needs to pick what it would of all, ending
  // with the same random numbers; 0: it needs all.
  int n_enough() const noexcept;
  // The same of these, from the best down, of equal ones the lowest id first.
  Token sample(std::span<const TopLogit> best);
  std::uint64_t seed() const noexcept;

 private:
  Token sample_begun();

  struct State;
  std::unique_ptr<State> state_;
};

// Throws ModelError that names the first parameter out of its range, what was found and expected.
// Public for its test.
void check_params(const SamplerParams& params);

}  // namespace confab::engine
