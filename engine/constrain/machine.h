// SPDX-License-Identifier: MIT
// Reads a text byte by byte as a grammar has it. Where the grammar allows several readings, all of
// them are kept: a Position is the set of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/constrain/grammar.h"

namespace confab::engine {

using StackId = std::int32_t;

// One reading: inside a terminal of state `scan`, under these callers.
struct Reading {
  RegexId regex;
  StateId scan;
  StackId stack;
  auto operator<=>(const Reading&) const = default;
};

struct Position {
  std::vector<Reading> readings = {};  // sorted
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
  // A short text that makes the whole text end; the position is not dead.
  std::string way_out(const Position& from);

  Grammar& grammar() noexcept { return grammar_; }

 private:
  struct Frame {
    StateId next;
    StackId parent;
    int depth;
  };
  const Position& enter(StateId state, StackId stack);
  void expand(StateId state, StackId stack, Position& into, std::vector<std::uint64_t>& seen);
  void expand_scan(StateId scan, StackId stack, Position& into, std::vector<std::uint64_t>& seen);
  StackId push(StateId next, StackId parent);
  void tidy(Position& position) const;
  std::optional<std::string> rest_of(StateId state, StackId stack);

  Grammar& grammar_;
  std::vector<Frame> frames_;  // 0: the bottom
  std::unordered_map<std::uint64_t, StackId> frame_ids_;
  std::unordered_map<std::uint64_t, Position> entered_;
  Position after_;
};

}  // namespace confab::engine
