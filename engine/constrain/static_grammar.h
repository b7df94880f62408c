// SPDX-License-Identifier: MIT
// A grammar whose states are all known from the beginning.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/constrain/grammar.h"

namespace confab::engine {

class StaticGrammar final : public Grammar {
 public:
  using Grammar::Grammar;
  // One terminal, which is the whole text.
  StaticGrammar(RegexSet& regexes, RegexId whole);

  // Throws ModelError when there are too many.
  StateId add(GrammarState state);
  void set(StateId id, GrammarState state) {
    states_[static_cast<std::size_t>(id)] = std::move(state);
  }
  void set_start(StateId id) noexcept { start_ = id; }
  // A state from which a rule that it belongs to is entered again before anything is read; nullopt:
  // there is none. Such a grammar cannot be used.
  std::optional<StateId> find_left_recursion();

  StateId start() const override { return start_; }
  const GrammarState& state(StateId id) override { return states_[static_cast<std::size_t>(id)]; }
  std::optional<std::string> way_out(StateId id) override;
  // What leads to no end accepts nothing from then on. Whether the whole grammar does.
  bool drop_dead_ends();

 private:
  struct Use;
  struct WayOut {
    std::size_t n_bytes;
    std::size_t choice;  // of `next`, or of the texts of a scan
  };
  std::vector<std::vector<Use>> find_uses();
  void find_ways_out();
  std::vector<StateId> reached_unread(StateId id);

  std::vector<GrammarState> states_;
  StateId start_ = 0;
  std::vector<std::optional<WayOut>> ways_out_;  // [states], once they are found
  // Of each regular expression: by tag, a shortest text.
  std::unordered_map<RegexId, std::vector<std::pair<int, std::string>>> texts_;
};

}  // namespace confab::engine
