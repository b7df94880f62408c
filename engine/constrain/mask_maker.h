// SPDX-License-Identifier: MIT
// Finds the tokens that may follow a position of a grammar.
//
// For each state of a regular expression, the tokens that stay inside it and the nodes of the trie
// where it may end are computed once, because they are the same wherever the state occurs. Only
// what follows these nodes is walked for each position, which is little work. A state that is
// nearly the same as another one (a string that begins with one of a few names) is computed from
// the other one by their differences.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/api/token.h"
#include "engine/constrain/machine.h"
#include "engine/constrain/round_set.h"
#include "engine/constrain/token_mask.h"

namespace confab::engine {

class Tokenizer;

// The vocabulary as a trie of bytes, stored in the order of the walk: a node, then everything below
// it. A walk that cannot continue skips to the end of the subtree.
class TokenTrie {
 public:
  static constexpr Token kNone = -1;

  // Holds all tokens that are text. Control tokens and empty tokens are left out.
  explicit TokenTrie(const Tokenizer& tokenizer);
  // Holds these texts. Empty texts are left out.
  explicit TokenTrie(std::span<const std::string_view> texts);

  struct Node {
    std::uint32_t end;         // the node after the subtree
    Token token;               // the token that ends here, or kNone
    std::uint8_t byte;         // the byte that leads here
    std::uint16_t depth;       // number of bytes up to here
    std::uint16_t height = 0;  // most bytes below here
  };
  std::span<const Node> nodes() const noexcept { return nodes_; }
  // The next token with the same bytes, or kNone.
  Token twin(Token token) const noexcept { return twins_[static_cast<std::size_t>(token)]; }
  int n_vocab() const noexcept { return static_cast<int>(twins_.size()); }
  std::size_t max_depth() const noexcept { return max_depth_; }

 private:
  void build(std::span<const std::string_view> texts);

  std::vector<Node> nodes_;
  std::vector<Token> twins_;  // [n_vocab]
  std::size_t max_depth_ = 0;
};

class MaskMaker {
 public:
  // Both must outlive the object.
  MaskMaker(const TokenTrie& trie, RegexSet& regexes);

  // Borrowed until the next call. The grammar of `machine` must be over these regular expressions.
  const TokenMask& mask(Machine& machine, const Position& position);

 private:
  // A node of the trie where a terminal may end while tokens continue below.
  struct Exit {
    RegexId regex;
    std::uint32_t node;
    auto operator<=>(const Exit&) const = default;
  };
  struct Inside {
    TokenMask tokens;
    std::vector<Exit> exits;  // sorted
  };
  struct Range {  // of nodes of the trie
    std::uint32_t begin;
    std::uint32_t end;
  };
  struct Walk {
    std::uint32_t node = 0;
    Reading reading = {};
    bool operator==(const Walk&) const = default;
  };
  struct WalkHash {
    std::uint64_t operator()(const Walk& walk) const noexcept;
  };
  const Inside& inside(RegexId regex);
  RegexId find_base(RegexId regex);
  template <class AtExit>
  void walk_below(RegexId regex, std::uint32_t begin, std::uint32_t end, TokenMask& into,
                  const AtExit& at_exit);
  void walk_apart(RegexId regex, RegexId base, Inside& into);
  static void keep_exits(std::vector<Exit>& exits, std::span<const Range> ranges);
  void follow(Machine& machine, const Reading& reading, std::span<const Exit> exits);
  void walk(Machine& machine, const Reading& reading, std::uint32_t node);
  void add(TokenMask& mask, Token token) const;
  void remove_below(Inside& from, std::uint32_t node) const;

  const TokenTrie& trie_;
  RegexSet& regexes_;
  std::unordered_map<RegexId, std::unique_ptr<Inside>> inside_;
  std::vector<RegexId> bases_;  // states that allow many tokens
  TokenMask mask_;
  RoundSet<Walk, WalkHash> walks_;  // of one mask; each walk is done only once
};

}  // namespace confab::engine
