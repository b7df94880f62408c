// SPDX-License-Identifier: MIT
// Guesses how a text goes on, from what it has held before: after words that stood there once, what
// followed them then. Prompt, attached files, conversation and answer are all one text.
//
// The guess is taken where the longest part of the text's end stood before, and the last time where
// it did so more than once. Source: prompt lookup decoding, Saxena 2023,
// https://github.com/apoorvumang/prompt-lookup-decoding
//
// Structure: a binary search tree over the places of the text, sorted by the tokens up to each,
// read backwards, with later places above earlier ones (a Cartesian tree, Vuillemin 1980). The next
// token's place goes to the root, and the way that splits the tree for it (Stephenson 1980) meets
// later places first and its two neighbours in the order last, so that the best match lies on that
// way. LZMA's match finder (Pavlov) is such a tree, looking forwards. A suffix automaton (Blumer et
// al. 1985) knows matches of any length, but takes ten times the memory, and more than constant
// work to know the last of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

// Cost: 12 bytes for each token of the context, allocated by the constructor, and nothing after it.
// A token added takes a walk of about 2 ln n steps, and never more than kMaxSteps.
class Lookup {
 public:
  // Matches are told apart up to so many tokens: among longer ones the last is taken.
  static constexpr int kMaxMatch = 64;
  // A walk that has not ended by then forgets the places not met, all older than those it met.
  static constexpr int kMaxSteps = 256;

  // For texts of up to n_ctx tokens.
  explicit Lookup(int n_ctx);

  int n_tokens() const noexcept { return static_cast<int>(tokens_.size()); }
  std::span<const Token> tokens() const noexcept { return tokens_; }  // until the next change

  // The text goes on; together at most n_ctx tokens.
  void add(Token token) noexcept;
  void add(std::span<const Token> tokens) noexcept;
  // Keeps the first n tokens; O(n), as if they were added anew.
  void truncate(int n) noexcept;
  // The text is now `tokens`, of which none may lie in tokens(). Adds to what is held where that is
  // how they begin, otherwise adds them all anew.
  void reset(std::span<const Token> tokens) noexcept;

  // How many of the last tokens stood together before: 0 (the last token is new) to kMaxMatch.
  int match_length() const noexcept { return match_length_; }
  // Fills `draft` with the tokens that followed them and returns true; false where fewer than
  // min_match match, or none. What would follow beyond the end of the text is taken from the
  // draft's own beginning, as if it were right: after "a b a b a" follows "b a b a ...".
  bool propose(std::span<Token> draft, int min_match) const noexcept;

 private:
  // The tree below a place. A place is the index of its last token.
  struct Node {
    std::int32_t before;
    std::int32_t after;
  };
  void insert(std::int32_t place) noexcept;
  int n_agreeing(std::int32_t place, std::int32_t earlier, int n_known) const noexcept;
  bool sorts_before(std::int32_t earlier, std::int32_t place, int n_agreeing) const noexcept;
  void rebuild() noexcept;
  Token token_at(std::int32_t place) const noexcept {
    return tokens_[static_cast<std::size_t>(place)];
  }

  std::size_t n_ctx_;
  std::vector<Token> tokens_;
  std::vector<Node> nodes_;  // [n_tokens]
  std::int32_t root_;
  int match_length_ = 0;
  std::int32_t match_ = 0;  // the place of the best match; of no meaning without one
};

}  // namespace confab::engine
