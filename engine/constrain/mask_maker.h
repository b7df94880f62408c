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
#include <unordered_map>
#include <vector>

#include "engine/constrain/machine.h"
#include "engine/constrain/round_set.h"
#include "engine/constrain/token_mask.h"
#include "engine/constrain/token_trie.h"

namespace confab::engine {

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
