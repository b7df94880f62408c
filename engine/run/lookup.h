// SPDX-License-Identifier: MIT
// Guesses how a text continues from what it contains already: after words that occurred before, it
// proposes what followed them then. The prompt, attached files, the conversation and the answer
// count as one text.
//
// It looks for the longest end of the text that occurred before, and among equal matches takes the
// last. Source: prompt lookup decoding, Saxena 2023,
// https://github.com/apoorvumang/prompt-lookup-decoding
//
// Structure: a binary search tree over the places of the text, sorted by the tokens up to each
// place, read backwards, with later places above earlier ones (a Cartesian tree, Vuillemin 1980).
// The place of a new token becomes the root. The walk that splits the tree for it (Stephenson 1980)
// meets later places first and the new place's two neighbours in the order last, so the best match
// lies on that walk. LZMA's match finder (Pavlov) is such a tree that looks forwards. A suffix
// automaton (Blumer et al. 1985) finds matches of any length, but takes ten times the memory, and
// more than constant work to know the last of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

// Cost: 12 bytes per token of the context, allocated by the constructor; nothing is allocated
// later. Adding a token takes a walk of about 2 ln n steps, and never more than kMaxSteps.
class Lookup {
 public:
  // Longer matches are not compared any further: among them the last one is taken.
  static constexpr int kMaxMatch = 64;
  // A walk of this length stops and forgets the places that it has not met. They are all older than
  // those it met.
  static constexpr int kMaxSteps = 256;

  // For texts of up to n_ctx tokens.
  explicit Lookup(int n_ctx);

  int n_tokens() const noexcept { return static_cast<int>(tokens_.size()); }
  std::span<const Token> tokens() const noexcept { return tokens_; }  // valid until the next change

  // Appends to the text, which may have at most n_ctx tokens.
  void add(Token token) noexcept;
  void add(std::span<const Token> tokens) noexcept;
  // Keeps the first n tokens. O(n), as if they were added again.
  void truncate(int n) noexcept;
  // Replaces the text with `tokens`, which must not overlap tokens(). If they begin with the
  // present text, only the rest is added; otherwise all of them are added again.
  void reset(std::span<const Token> tokens) noexcept;

  // How many of the last tokens occurred together before: from 0 (the last token is new) to
  // kMaxMatch.
  int match_length() const noexcept { return match_length_; }
  // Fills `draft` with the tokens that followed the match. Returns false if no tokens match, or
  // fewer than min_match. If the match is too close to the end of the text, the draft continues
  // with its own beginning, as if it were right: "a b a b a" is followed by "b a b a ...".
  bool propose(std::span<Token> draft, int min_match) const noexcept;

 private:
  // The children of a place in the tree. A place is the index of its last token.
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
  std::int32_t match_ = 0;  // place of the best match; meaningless without one
};

}  // namespace confab::engine
