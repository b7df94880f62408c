// SPDX-License-Identifier: MIT
// Reads a text byte by byte by a grammar. If the grammar allows several readings, all of them are
// kept; a Position is the set of them. Readings that differ only in their callers are merged into
// one whose stack has several tops (Tomita 1985). So their number is limited by the states of the
// grammar, however deeply the text is nested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/constrain/grammar.h"
#include "engine/constrain/round_set.h"

namespace confab::engine {

using StackId = std::int32_t;

// One reading: the text is inside a terminal of state `scan`, and any of the callers in `stack` may
// have led there.
struct Reading {
  RegexId regex;
  StateId scan;
  StackId stack;
  auto operator<=>(const Reading&) const = default;
};

struct Position {
  std::vector<Reading> readings = {};  // sorted; no two differ only in their stack
  bool may_end = false;                // the text so far is complete

  bool is_dead() const noexcept { return readings.empty() && !may_end; }
  bool operator==(const Position&) const = default;
};

class Machine {
 public:
  // `grammar` must outlive the machine.
  explicit Machine(Grammar& grammar);

  Position start();
  // Throws ModelError if the grammar has too many readings of a text.
  Position advance(const Position& from, std::uint8_t byte);
  Position advance(Position from, std::string_view bytes);
  // The readings after the terminal of `reading` has ended in the accepting state `regex`. Borrowed
  // until the next call.
  const Position& after(const Reading& reading, RegexId regex);
  // The bytes that must come next, up to the first choice.
  std::string forced(Position from);
  // A short text that completes the whole text. The position must not be dead. Returns nullopt if
  // none exists or none is found. Throws ModelError.
  std::optional<std::string> way_out(const Position& from);

  Grammar& grammar() noexcept { return grammar_; }

 private:
  // A caller: the state in which it continues, and its own callers.
  struct Frame {
    StateId next;
    StackId parent;
    auto operator<=>(const Frame&) const = default;
  };
  struct Stack {
    std::vector<Frame> tops;  // sorted
    int depth;                // of the deepest caller
  };
  const Position& enter(StateId state, StackId stack);
  void expand(StateId first, StackId under, Position& into);
  void expand_scan(StateId scan, RegexId regex, StackId stack, Position& into);
  StackId push(StateId next, StackId parent);
  StackId unite(StackId a, StackId b);
  const Stack& callers(StackId id) const { return stacks_[static_cast<std::size_t>(id)]; }
  void tidy(Position& position);
  struct WayOut {
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::size_t n_bytes = kNone;
    std::size_t top = 0;  // index of the caller that continues
    bool exists() const noexcept { return n_bytes != kNone; }
  };
  WayOut way_out_of_callers(StackId stack);

  Grammar& grammar_;
  std::vector<Stack> stacks_;  // stacks_[0] is the bottom
  std::unordered_map<std::uint64_t, StackId> pushed_;
  std::unordered_map<std::uint64_t, StackId> united_;
  std::map<std::vector<Frame>, StackId> unions_;
  std::unordered_map<std::uint64_t, Position> entered_;
  std::unordered_map<StackId, WayOut> ways_out_;  // filled by way_out()
  Position after_;
  struct PairHash {
    std::uint64_t operator()(std::uint64_t pair) const noexcept {
      return pair * 0x9e3779b97f4a7c15U;
    }
  };
  std::vector<std::pair<StateId, StackId>> open_;  // states that enter() still has to expand
  RoundSet<std::uint64_t, PairHash> expanded_;     // states with stacks that enter() has expanded
};

}  // namespace confab::engine
