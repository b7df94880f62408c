// SPDX-License-Identifier: MIT
// A context-free grammar over bytes, as the states of a machine with a stack. Its terminals are
// regular expressions, which are not made into tokens first: where one ends in several ways, all
// are followed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

}  // namespace confab::engine
