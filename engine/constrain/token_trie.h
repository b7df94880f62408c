// SPDX-License-Identifier: MIT
// The vocabulary as a tree of bytes, laid out in the order in which it is walked: a node, then all
// that is below it. A walk that finds no way on skips to where a subtree ends.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

class Tokenizer;

class TokenTrie {
 public:
  static constexpr Token kNone = -1;

  // Of all tokens that are text: control tokens and empty ones are left out.
  explicit TokenTrie(const Tokenizer& tokenizer);
  // Of these texts, of which the empty ones are left out.
  explicit TokenTrie(std::span<const std::string_view> texts);

  struct Node {
    std::uint32_t end;         // the node after all below it
    Token token;               // that ends here, or kNone
    std::uint8_t byte;         // that leads here
    std::uint16_t depth;       // bytes so far
    std::uint16_t height = 0;  // bytes of what is below, at most
  };
  std::span<const Node> nodes() const noexcept { return nodes_; }
  // Another token of the same bytes, or kNone.
  Token twin(Token token) const noexcept { return twins_[static_cast<std::size_t>(token)]; }
  int n_vocab() const noexcept { return static_cast<int>(twins_.size()); }
  std::size_t max_depth() const noexcept { return max_depth_; }

 private:
  void build(std::span<const std::string_view> texts);

  std::vector<Node> nodes_;
  std::vector<Token> twins_;  // [n_vocab]
  std::size_t max_depth_ = 0;
};

}  // namespace confab::engine
