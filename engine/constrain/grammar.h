// SPDX-License-Identifier: MIT
// A context-free grammar over bytes, as the states of a machine with a stack. Its terminals are
// regular expressions. There is no separate step that cuts the text into tokens: if a terminal can
// end in several ways, all of them are followed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/constrain/regex.h"

namespace confab::engine {

using StateId = std::int32_t;

struct GrammarState {
  enum class Kind {
    end,   // the end of the state's rule
    scan,  // a text of `regex`; its tag is the index in `next`
    call,  // the rule that begins at next[0], then next[1]
    fork,  // one of `next`
  };
  Kind kind = Kind::end;
  RegexId regex = RegexSet::kNothing;
  std::vector<StateId> next = {};
};

class Grammar {
 public:
  explicit Grammar(RegexSet& regexes) : regexes_(regexes) {}
  virtual ~Grammar() = default;
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  RegexSet& regexes() noexcept { return regexes_; }
  virtual StateId start() const = 0;
  // A grammar may make states on demand. The result is borrowed until the next call. Throws
  // ModelError if there are too many states.
  virtual const GrammarState& state(StateId id) = 0;
  // The state after a text of the scan that was accepted with this tag. A scan's `next` needs to
  // have only the entries that were requested here.
  virtual StateId after_scan(StateId scan, int tag) {
    return state(scan).next[static_cast<std::size_t>(tag)];
  }
  // A short text from the state to the end of its rule; nullopt if no text leads there.
  virtual std::optional<std::string> way_out(StateId id) = 0;

 private:
  RegexSet& regexes_;
};

// A grammar whose states are all known from the start.
class StaticGrammar final : public Grammar {
 public:
  using Grammar::Grammar;
  // A grammar of one terminal, which is the whole text.
  StaticGrammar(RegexSet& regexes, RegexId whole);

  // Throws ModelError if there are too many states.
  StateId add(GrammarState state);
  void set(StateId id, GrammarState state) {
    states_[static_cast<std::size_t>(id)] = std::move(state);
  }
  void set_start(StateId id) noexcept { start_ = id; }
  // A state from which its own rule is entered again before anything is read, or nullopt. A grammar
  // with such a state cannot be used.
  std::optional<StateId> find_left_recursion();

  StateId start() const override { return start_; }
  const GrammarState& state(StateId id) override { return states_[static_cast<std::size_t>(id)]; }
  std::optional<std::string> way_out(StateId id) override;
  // Makes states that cannot reach the end accept nothing. Returns whether the start state can
  // reach it.
  bool drop_dead_ends();

 private:
  struct Use;
  struct WayOut {
    std::size_t n_bytes;
    std::size_t choice;  // index in `next`, or in the texts of a scan
  };
  std::vector<std::vector<Use>> find_uses();
  void find_ways_out();
  std::vector<StateId> reached_unread(StateId id);

  std::vector<GrammarState> states_;
  StateId start_ = 0;
  std::vector<std::optional<WayOut>> ways_out_;  // [states], once they are found
  // For each regular expression, the shortest texts by tag.
  std::unordered_map<RegexId, std::vector<std::pair<int, std::string>>> texts_;
};

// Free text in which the parts between two markers follow another grammar, as when a model calls
// tools. There may be any number of such parts, or none.
class MarkedGrammar final : public Grammar {
 public:
  // Both markers must have at least one byte.
  MarkedGrammar(std::unique_ptr<Grammar> inside, std::string opening, std::string closing);

  StateId start() const override { return kFree; }
  const GrammarState& state(StateId id) override;
  StateId after_scan(StateId scan, int tag) override;
  std::optional<std::string> way_out(StateId id) override;

 private:
  enum : StateId { kEnd, kFree, kMarked, kClosing, kInside };  // `inside_` starts at kInside

  std::unique_ptr<Grammar> inside_;
  std::string closing_;
  RegexId free_text_;
  RegexId closing_text_;
  GrammarState state_;  // the result of state()
};

}  // namespace confab::engine
