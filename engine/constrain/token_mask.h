// SPDX-License-Identifier: MIT
// The set of tokens of a vocabulary that may come next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

class TokenMask {
 public:
  explicit TokenMask(int n_vocab = 0) : words_((static_cast<std::size_t>(n_vocab) + 63) / 64) {}

  void add(Token token) noexcept { words_[word(token)] |= bit(token); }
  void remove(Token token) noexcept { words_[word(token)] &= ~bit(token); }
  bool has(Token token) const noexcept { return (words_[word(token)] & bit(token)) != 0; }
  void add(const TokenMask& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void clear() noexcept { words_.assign(words_.size(), 0); }
  bool is_empty() const noexcept;
  int count() const noexcept;
  // Sets the logits [n_vocab] of all tokens that are not in the set to -infinity.
  void apply(std::span<float> logits) const noexcept;
  bool operator==(const TokenMask&) const = default;

 private:
  static std::size_t word(Token token) noexcept { return static_cast<std::size_t>(token) / 64; }
  static std::uint64_t bit(Token token) noexcept {
    return std::uint64_t{1} << (static_cast<unsigned>(token) % 64U);
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace confab::engine
