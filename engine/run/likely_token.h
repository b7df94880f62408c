// SPDX-License-Identifier: MIT
// Which tokens a draft is made of: the most likely ones, as far as they are likely enough.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/api/token.h"
#include "engine/text/tokenizer.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

struct DraftRule {
  int n_vocab = 0;  // of the model that checks the draft: what is beyond is not proposed
  // A draft ends before a token that is less likely than this, but not before `least` tokens.
  float p_min = 0;
  int least = 0;
};

class LikelyToken {
 public:
  // Of logits of a model with these tokens. The references must outlive the object.
  LikelyToken(const Tokenizer& tokenizer, const kernels::KernelTable& table, const DraftRule& rule);

  // With what a draft of n_drafted tokens goes on, after which these are the logits; nullopt: it
  // ends, or the answer would.
  std::optional<Token> next(std::span<const float> logits, int n_drafted);

 private:
  const Tokenizer& tokenizer_;
  const kernels::KernelTable& table_;
  DraftRule rule_;
  std::vector<float> chances_;  // [n_vocab]
};

}  // namespace confab::engine
