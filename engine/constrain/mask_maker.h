// SPDX-License-Identifier: MIT
// Which tokens may follow a position of a grammar.
//
// For a state of a regular expression, the tokens that stay inside of it, and the places in the
// trie where it may end, are found once: they are the same wherever the state occurs. What follows
// such places is walked for each position, which is little. A state that is nearly the same as
// another one (a string whose beginning is one of a few names) is found from that one by its
// differences.
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

// The vocabulary as a tree of bytes, laid out in the order in which it is walked: a node, then all
// that is below it. A walk that finds no way on skips to where a subtree ends.
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

class MaskMaker {
 public:
  // Both must outlive the object.
  MaskMaker(const TokenTrie& trie, RegexSet& regexes);

  // Borrowed until the next call. `machine` is of a grammar over these regular expressions.
  const TokenMask& mask(Machine& machine, const Position& position);

 private:
  // Where a terminal may have ended inside a token, and tokens go on.
  struct Exit {
    RegexId regex;
    std::uint32_t node;
    auto operator<=>(const Exit&) const = default;
  };
  struct Inside {
    TokenMask tokens;
    std::vector<Exit> exits;  // in order
  };
  struct Range {  // of nodes
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
  std::vector<RegexId> bases_;  // states of many tokens
  TokenMask mask_;
  RoundSet<Walk, WalkHash> walks_;  // of one mask: none is gone twice
};

}  // namespace confab::engine
