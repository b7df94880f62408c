// SPDX-License-Identifier: MIT
// A context-free grammar over bytes, as the states of a machine with a stack. Its terminals are
// regular expressions, which are not made into tokens first: where one ends in several ways, all
// are followed.
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
    end,   // of the rule that it belongs to
    scan,  // a text of `regex`; its tag says which of `next` follows
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
  // States may be made when they are asked for. Borrowed until the next call. Throws ModelError
  // when there are too many.
  virtual const GrammarState& state(StateId id) = 0;
  // What follows a text of the scan that was accepted with this tag. Of a scan's `next`, only what
  // has been asked for here need be there.
  virtual StateId after_scan(StateId scan, int tag) {
    return state(scan).next[static_cast<std::size_t>(tag)];
  }
  // A short text from the state to the end of its rule; nullopt: no text leads there.
  virtual std::optional<std::string> way_out(StateId id) = 0;

 private:
  RegexSet& regexes_;
};

// A grammar whose states are all known from the beginning.
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

// Free text in which whatever stands between two markers is of another grammar, as when a model
// calls tools: any number of times, or never.
class MarkedGrammar final : public Grammar {
 public:
  // Both markers have at least one byte.
  MarkedGrammar(std::unique_ptr<Grammar> inside, std::string opening, std::string closing);

  StateId start() const override { return kFree; }
  const GrammarState& state(StateId id) override;
  StateId after_scan(StateId scan, int tag) override;
  std::optional<std::string> way_out(StateId id) override;

 private:
  enum : StateId { kEnd, kFree, kMarked, kClosing, kInside };  // those inside begin with the last

  std::unique_ptr<Grammar> inside_;
  std::string closing_;
  RegexId free_text_;
  RegexId closing_text_;
  GrammarState state_;  // the one that is borrowed
};

}  // namespace confab::engine
