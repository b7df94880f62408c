// SPDX-License-Identifier: MIT
#include "engine/run/likely_token.h"

#include <algorithm>

namespace confab::engine {

LikelyToken::LikelyToken(const Tokenizer& tokenizer, const kernels::KernelTable& table,
                         const DraftRule& rule)
    : tokenizer_(tokenizer), table_(table), rule_(rule) {
  chances_.reserve(static_cast<std::size_t>(tokenizer.n_vocab()));
}

std::optional<Token> LikelyToken::next(std::span<const float> logits, int n_drafted) {
  if (logits.empty()) return std::nullopt;
  const auto token = static_cast<Token>(std::ranges::max_element(logits) - logits.begin());
  if (token >= rule_.n_vocab || tokenizer_.is_eog(token)) return std::nullopt;
  if (rule_.p_min <= 0 || n_drafted < rule_.least) return token;
  chances_.assign(logits.begin(), logits.end());
  table_.softmax(chances_.data(), static_cast<std::int64_t>(chances_.size()));
  if (chances_[static_cast<std::size_t>(token)] < rule_.p_min) return std::nullopt;
  return token;
}

}  // namespace confab::engine
