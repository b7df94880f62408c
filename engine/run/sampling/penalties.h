// SPDX-License-Identifier: MIT
// Samplers that change logits: biases, and penalties for what the text has already.
#pragma once

#include <string>
#include <vector>

#include "engine/api/sampler_params.h"
#include "engine/run/sampling/candidates.h"

namespace confab::engine {

class Tokenizer;

// What is added to the logits of certain tokens before anything else is done with them: the biases
// of the parameters, as edits of different tokens; with ignore_eos, tokens that end an answer are
// never picked. tokenizer: nullptr where there is none. Throws ModelError when the model has no
// such token.
std::vector<LogitEdit> bias_edits(const SamplerParams& params, int n_vocab,
                                  const Tokenizer* tokenizer);

// Penalties for tokens that stand among the last ones.
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

// DRY, "don't repeat yourself": a token that would make a repetition longer is penalised, the more
// the longer that already is: of n tokens >= dry_allowed_length, by dry_multiplier *
// dry_base^(n - dry_allowed_length). No repetition reaches back over a breaker, which is a text;
// it may end within a token, or after several. A token that has a breaker in it is not penalised.
// P. E. Weidmann 2024, https://github.com/oobabooga/text-generation-webui/pull/5677
class Dry {
 public:
  // The tokenizer must outlive the object; nullptr: there are no breakers.
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
  // Fills recent_; how many of its tokens have come since the last breaker.
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
  std::string text_;        // the end of what was read, where a breaker may have begun
  std::vector<Read> ring_;  // the last dry_penalty_last_n tokens; empty: it is off
  std::size_t next_ = 0;
  std::size_t size_ = 0;
  std::vector<Token> recent_;  // the last token first
  std::vector<int> repeated_;  // how many tokens from recent_[0] on stand from recent_[i] on, too
  std::vector<int> longest_;   // [n_vocab]: the repetition that a token would go on with; 0: none
  std::vector<Token> noted_;   // the tokens that have one
  std::vector<LogitEdit> edits_;
};

}  // namespace confab::engine
