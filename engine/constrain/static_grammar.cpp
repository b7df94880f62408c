// SPDX-License-Identifier: MIT
#include "engine/constrain/static_grammar.h"

#include <algorithm>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxStates = 200'000;

std::size_t index(StateId id) {
  return static_cast<std::size_t>(id);
}

}  // namespace

StaticGrammar::StaticGrammar(RegexSet& regexes, RegexId whole) : Grammar(regexes) {
  const StateId end = add({});
  set_start(add({GrammarState::Kind::scan, regexes.concat(whole, regexes.tag(0)), {end}}));
}

StateId StaticGrammar::add(GrammarState state) {
  if (states_.size() >= kMaxStates) throw ModelError("the grammar is too large");
  states_.push_back(std::move(state));
  return static_cast<StateId>(states_.size() - 1);
}

// The way out by what is known of the states that follow.
std::optional<std::string> StaticGrammar::way_through(const GrammarState& state) {
  std::optional<std::string> best;
  const auto offer = [&](std::string text) {
    if (!best || text.size() < best->size()) best = std::move(text);
  };
  switch (state.kind) {
    case GrammarState::Kind::end:
      return "";
    case GrammarState::Kind::call: {
      const auto &inside = ways_out_[index(state.next[0])], &rest = ways_out_[index(state.next[1])];
      if (inside && rest) offer(*inside + *rest);
      break;
    }
    case GrammarState::Kind::fork:
      for (const StateId next : state.next)
        if (ways_out_[index(next)]) offer(*ways_out_[index(next)]);
      break;
    case GrammarState::Kind::scan:
      if (regexes().is_empty(state.regex)) break;
      for (const auto& [tag, text] : regexes().shortest_by_tag(state.regex))
        if (const auto& rest = ways_out_[index(state.next[index(tag)])]) offer(text + *rest);
  }
  return best;
}

// Again and again, until no way becomes shorter.
void StaticGrammar::find_ways_out() {
  ways_out_.resize(states_.size());
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = states_.size(); i > 0; --i) {
      std::optional<std::string>& known = ways_out_[i - 1];
      std::optional<std::string> found = way_through(states_[i - 1]);
      if (!found || (known && known->size() <= found->size())) continue;
      known = std::move(found);
      goes_on = true;
    }
  }
}

std::optional<std::string> StaticGrammar::way_out(StateId id) {
  if (ways_out_.empty()) find_ways_out();
  return ways_out_[index(id)];
}

bool StaticGrammar::drop_dead_ends() {
  if (ways_out_.empty()) find_ways_out();
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (!ways_out_[i]) states_[i] = {GrammarState::Kind::scan, RegexSet::kNothing, {}};
  return ways_out_[index(start_)].has_value();
}

// States from which the end of the rule is reached without reading anything.
std::vector<bool> StaticGrammar::find_skippable() {
  std::vector<bool> found(states_.size());
  const auto can_skip = [&](const GrammarState& state) {
    const auto is_found = [&](StateId id) { return found[index(id)]; };
    if (state.kind == GrammarState::Kind::end) return true;
    if (state.kind == GrammarState::Kind::call)
      return is_found(state.next[0]) && is_found(state.next[1]);
    if (state.kind == GrammarState::Kind::fork) return std::ranges::any_of(state.next, is_found);
    const std::vector<int> tags = regexes().tags(state.regex);
    return std::ranges::any_of(tags, [&](int tag) { return is_found(state.next[index(tag)]); });
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = states_.size(); i > 0; --i) {
      if (found[i - 1] || !can_skip(states_[i - 1])) continue;
      found[i - 1] = true;
      goes_on = true;
    }
  }
  return found;
}

std::vector<StateId> StaticGrammar::reached_unread(StateId id, const std::vector<bool>& skippable) {
  const GrammarState& state = states_[index(id)];
  if (state.kind == GrammarState::Kind::fork) return state.next;
  std::vector<StateId> reached;
  if (state.kind == GrammarState::Kind::call) {
    reached.push_back(state.next[0]);
    if (skippable[index(state.next[0])]) reached.push_back(state.next[1]);
  }
  if (state.kind == GrammarState::Kind::scan)
    for (const int tag : regexes().tags(state.regex)) reached.push_back(state.next[index(tag)]);
  return reached;
}

std::optional<StateId> StaticGrammar::find_left_recursion() {
  const std::vector<bool> is_skippable = find_skippable();
  for (StateId call = 0; index(call) < states_.size(); ++call) {
    if (states_[index(call)].kind != GrammarState::Kind::call) continue;
    std::vector<bool> seen(states_.size());
    std::vector<StateId> open{states_[index(call)].next[0]};
    while (!open.empty()) {
      const StateId at = open.back();
      open.pop_back();
      if (at == call) return call;
      if (seen[index(at)]) continue;
      seen[index(at)] = true;
      for (const StateId next : reached_unread(at, is_skippable)) open.push_back(next);
    }
  }
  return std::nullopt;
}

}  // namespace confab::engine
