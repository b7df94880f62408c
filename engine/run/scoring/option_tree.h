// SPDX-License-Identifier: MIT
// Texts that an answer may be, as a tree of their tokens: what several begin with is one branch,
// and is run once. From the logits after each token it gathers how likely each text is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/api/events.h"
#include "engine/api/token.h"

namespace confab::engine {

class OptionTree {
 public:
  static constexpr int kRoot = 0;  // the prompt's last token
  // A way from below the root to a leaf. Its first nodes, so many, are those of an earlier path,
  // its parent: -1 where there are none.
  struct Path {
    std::vector<int> nodes;
    int n_shared = 0;
    int parent = -1;
  };

  // Options of 1 or more tokens each; two may be the same. ends: the tokens that end an answer.
  OptionTree(std::span<const std::vector<Token>> options, std::span<const Token> ends);

  // Each token is run in one of them, a parent before those that share its nodes. All of these
  // tokens are to be run, each with its logits.
  std::span<const Path> paths() const noexcept { return paths_; }
  Token token(int node) const noexcept { return at(node).token; }
  // Takes the logits after a node, [n_vocab]. Taking them again changes nothing. False: they have
  // values that are not numbers, and nothing is taken.
  bool take(int node, std::span<const float> logits);
  bool has(int node) const noexcept { return at(node).taken; }
  // Once all have been taken.
  OptionScore score(std::size_t option) const;

 private:
  struct Node {
    Token token;
    int parent;
    std::vector<int> children = {};
    bool is_end = false;   // of an option
    bool taken = false;    // the logits after it
    double log_p = 0;      // given those before it
    double log_p_end = 0;  // given it, where it is_end
  };
  const Node& at(int node) const noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  Node& at(int node) noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  int child(int node, Token token);
  std::vector<int> way_to(int node) const;
  void find_paths();

  std::vector<Token> ends_;
  std::vector<Node> nodes_;
  std::vector<int> last_;  // nodes, by option
  std::vector<Path> paths_;
};

}  // namespace confab::engine
