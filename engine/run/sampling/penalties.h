// SPDX-License-Identifier: MIT
// Samplers that change logits: biases, and penalties for repetition.
#pragma once

#include <string>
#include <vector>

#include "engine/api/sampler_params.h"
#include "engine/run/sampling/candidates.h"

namespace confab::engine {

class Tokenizer;

// The biases of the parameters, as edits of distinct tokens, to be applied before anything else.
// With ignore_eos, tokens that end an answer are never picked. `tokenizer` may be nullptr. Throws
// ModelError if the model has no such token.
std::vector<LogitEdit> bias_edits(const SamplerParams& params, int n_vocab,
                                  const Tokenizer* tokenizer);

// Penalties for tokens that occur among the last ones.
class Penalties {
 public:
  Penalties(const SamplerParams& params, int n_vocab);

  bool are_on() const noexcept { return !ring_.empty(); }
  void accept(Token token) noexcept;
  // Divides positive logits of recent tokens by repeat_penalty and multiplies negative ones by it
  // (Keskar et al. 2019, https://arxiv.org/abs/1909.05858). Then subtracts frequency_penalty for
  // each occurrence and presence_penalty once.
  void apply(Candidates& candidates) noexcept;

 private:
  float repeat_;
  float frequency_;
  float presence_;
  std::vector<Token> ring_;  // the last repeat_last_n tokens; empty if off
  std::vector<int> counts_;  // [n_vocab], how often each occurs in the ring
  std::vector<LogitEdit> edits_;
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

// DRY, "don't repeat yourself": penalises a token that would extend a repetition, more strongly the
// longer the repetition is. After n repeated tokens, n >= dry_allowed_length, the penalty is
// dry_multiplier * dry_base^(n - dry_allowed_length). Repetitions do not reach back across a
// breaker. A breaker is a text and may end inside a token or span several. A token that contains a
// breaker is not penalised. P. E. Weidmann 2024,
// https://github.com/oobabooga/text-generation-webui/pull/5677
class Dry {
 public:
  // The tokenizer must outlive the object. With nullptr there are no breakers.
  Dry(const SamplerParams& params, int n_vocab, const Tokenizer* tokenizer);

  bool is_on() const noexcept { return !ring_.empty(); }
  void accept(Token token);
  void apply(Candidates& candidates);

 private:
  struct Read {
    Token token;
    bool ends_breaker;
  };

  bool ends_breaker(Token token);
  bool has_breaker(Token token) const;
  // Fills recent_. Returns how many of its tokens have come since the last breaker.
  std::size_t look_back() noexcept;
  void find_repetitions(std::size_t n_most) noexcept;
  void note(Token token, int n_repeated);
  float penalty(int n_repeated) const noexcept;

  double multiplier_;
  double base_;
  int allowed_length_;
  const Tokenizer* tokenizer_;
  std::vector<std::string> breakers_;
  std::size_t longest_breaker_ = 0;
  std::string text_;        // the last text, in which a breaker may have begun
  std::vector<Read> ring_;  // the last dry_penalty_last_n tokens; empty if off
  std::size_t next_ = 0;
  std::size_t size_ = 0;
  std::vector<Token> recent_;  // most recent first
  std::vector<int> repeated_;  // how many tokens from recent_[i] on equal those from recent_[0]
  std::vector<int> longest_;   // [n_vocab]: length of the repetition a token would extend; or 0
  std::vector<Token> noted_;   // tokens with an entry in longest_
  std::vector<LogitEdit> edits_;
};

}  // namespace confab::engine
