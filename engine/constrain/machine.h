// SPDX-License-Identifier: MIT
// Reads a text byte by byte as a grammar has it. Where the grammar allows several readings, all of
// them are kept: a Position is the set of them. Those that differ in their callers alone are one,
// whose stack has several tops (Tomita 1985): as many as the grammar has states, however deep the
// text is nested.
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

// One reading: inside a terminal of state `scan`, under any of these callers.
struct Reading {
  RegexId regex;
  StateId scan;
  StackId stack;
  auto operator<=>(const Reading&) const = default;
};

struct Position {
  std::vector<Reading> readings = {};  // sorted; no two that differ in their stack alone
  bool may_end = false;                // the text so far is whole

  bool is_dead() const noexcept { return readings.empty() && !may_end; }
  bool operator==(const Position&) const = default;
};

class Machine {
 public:
  // `grammar` must outlive the machine.
  explicit Machine(Grammar& grammar);

  Position start();
  // Throws ModelError when the grammar has too many readings of a text.
  Position advance(const Position& from, std::uint8_t byte);
  Position advance(Position from, std::string_view bytes);
  // The readings that there are once `reading` has become `regex`, which accepts, and its terminal
  // ends there. Borrowed until the next call.
  const Position& after(const Reading& reading, RegexId regex);
  // What must come next, byte by byte, for as long as there is no choice; empty: there is one.
  std::string forced(Position from);
  // A short text that makes the whole text end; the position is not dead. nullopt: there is none,
  // or none is found. Throws ModelError.
  std::optional<std::string> way_out(const Position& from);

  Grammar& grammar() noexcept { return grammar_; }

 private:
  // Who called, and how it goes on there.
  struct Frame {
    StateId next;
    StackId parent;
    auto operator<=>(const Frame&) const = default;
  };
  struct Stack {
    std::vector<Frame> tops;  // sorted
    int depth;                // of the deepest
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
    std::size_t top = 0;  // who goes on
    bool exists() const noexcept { return n_bytes != kNone; }
  };
  WayOut way_out_of_callers(StackId stack);

  Grammar& grammar_;
  std::vector<Stack> stacks_;  // 0: the bottom
  std::unordered_map<std::uint64_t, StackId> pushed_;
  std::unordered_map<std::uint64_t, StackId> united_;
  std::map<std::vector<Frame>, StackId> unions_;
  std::unordered_map<std::uint64_t, Position> entered_;
  std::unordered_map<StackId, WayOut> ways_out_;  // of what way_out() has met
  Position after_;
  struct PairHash {
    std::uint64_t operator()(std::uint64_t pair) const noexcept {
      return pair * 0x9e3779b97f4a7c15U;
    }
  };
  std::vector<std::pair<StateId, StackId>> open_;  // of what is entered, yet to be looked at
  RoundSet<std::uint64_t, PairHash> expanded_;     // states with their stacks, of what is entered
};

}  // namespace confab::engine
