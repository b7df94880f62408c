// SPDX-License-Identifier: MIT
#include "engine/constrain/grammar.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "engine/constrain/components.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxStates = 200'000;
constexpr std::size_t kMaxWayOut = std::size_t{1} << 20U;  // bytes

std::size_t index(StateId id) {
  return static_cast<std::size_t>(id);
}

// Text without the marker, after which the answer may end (tag 0), or text up to and including the
// marker (tag 1).
RegexId free_text(RegexSet& r, const std::string& marker) {
  const RegexId mark = r.literal(marker), any = RegexSet::kAnything;
  const RegexId byte = r.bytes(~ByteSet());
  const RegexId without = r.negation(r.concat({any, mark, any}));
  const RegexId first = r.both({r.concat(any, mark), r.negation(r.concat({any, mark, byte, any}))});
  return r.either({r.concat(without, r.tag(0)), r.concat(first, r.tag(1))});
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

// A state that leads to another one: by which of its choices, and after a text of how many bytes.
struct StaticGrammar::Use {
  StateId user;
  std::size_t choice;
  std::size_t n_bytes;
};

std::vector<std::vector<StaticGrammar::Use>> StaticGrammar::find_uses() {
  std::vector<std::vector<Use>> uses(states_.size());
  for (StateId id = 0; index(id) < states_.size(); ++id) {
    const GrammarState& state = states_[index(id)];
    if (state.kind != GrammarState::Kind::scan) {
      for (std::size_t i = 0; i < state.next.size(); ++i)
        uses[index(state.next[i])].push_back({id, i, 0});
      continue;
    }
    if (regexes().is_empty(state.regex)) continue;
    auto& texts = texts_[state.regex];
    if (texts.empty()) texts = regexes().shortest_by_tag(state.regex);
    for (std::size_t i = 0; i < texts.size(); ++i)
      uses[index(state.next[index(texts[i].first)])].push_back({id, i, texts[i].second.size()});
  }
  return uses;
}

// Finds the shortest ways out first (Knuth 1977), so each state is settled once.
void StaticGrammar::find_ways_out() {
  const std::vector<std::vector<Use>> uses = find_uses();
  ways_out_.resize(states_.size());
  using Found = std::tuple<std::size_t, StateId, std::size_t>;  // bytes, state, choice
  std::priority_queue<Found, std::vector<Found>, std::greater<>> found;
  for (StateId id = 0; index(id) < states_.size(); ++id)
    if (states_[index(id)].kind == GrammarState::Kind::end) found.emplace(0, id, 0);
  bool is_too_long = false;
  while (!found.empty()) {
    const auto [n_bytes, id, choice] = found.top();
    found.pop();
    if (ways_out_[index(id)]) continue;
    ways_out_[index(id)] = {n_bytes, choice};
    for (const Use& use : uses[index(id)]) {
      std::size_t n_all = n_bytes + use.n_bytes;
      if (states_[index(use.user)].kind == GrammarState::Kind::call) {
        const auto& other = ways_out_[index(states_[index(use.user)].next[1 - use.choice])];
        if (!other) continue;
        n_all += other->n_bytes;
      }
      is_too_long |= n_all > kMaxWayOut;
      if (n_all <= kMaxWayOut) found.emplace(n_all, use.user, use.choice);
    }
  }
  if (is_too_long &&
      !std::ranges::all_of(ways_out_, [](const auto& way) { return way.has_value(); }))
    throw ModelError("the grammar is too large: its shortest text is longer than 1 MiB");
}

std::optional<std::string> StaticGrammar::way_out(StateId id) {
  if (ways_out_.empty()) find_ways_out();
  if (!ways_out_[index(id)]) return std::nullopt;
  std::string text;
  for (std::vector<StateId> open{id}; !open.empty();) {
    const StateId at = open.back();
    open.pop_back();
    if (ways_out_[index(at)]->n_bytes == 0) continue;
    regexes().effort().spend(1);
    const GrammarState& state = states_[index(at)];
    const std::size_t choice = ways_out_[index(at)]->choice;
    if (state.kind == GrammarState::Kind::call) {
      open.insert(open.end(), {state.next[1], state.next[0]});
    } else if (state.kind == GrammarState::Kind::fork) {
      open.push_back(state.next[choice]);
    } else if (state.kind == GrammarState::Kind::scan) {
      const auto& [tag, shortest] = texts_.at(state.regex)[choice];
      text += shortest;
      open.push_back(state.next[index(tag)]);
    }
  }
  return text;
}

bool StaticGrammar::drop_dead_ends() {
  if (ways_out_.empty()) find_ways_out();
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (!ways_out_[i]) states_[i] = {GrammarState::Kind::scan, RegexSet::kNothing, {}};
  return ways_out_[index(start_)].has_value();
}

// The states that can be reached without reading anything.
std::vector<StateId> StaticGrammar::reached_unread(StateId id) {
  const GrammarState& state = states_[index(id)];
  if (state.kind == GrammarState::Kind::fork) return state.next;
  std::vector<StateId> reached;
  if (state.kind == GrammarState::Kind::call) {
    reached.push_back(state.next[0]);
    const auto& inside = ways_out_[index(state.next[0])];
    if (inside && inside->n_bytes == 0) reached.push_back(state.next[1]);
  }
  if (state.kind == GrammarState::Kind::scan)
    for (const int tag : regexes().tags(state.regex)) reached.push_back(state.next[index(tag)]);
  return reached;
}

std::optional<StateId> StaticGrammar::find_left_recursion() {
  if (ways_out_.empty()) find_ways_out();
  std::vector<std::vector<StateId>> reached;
  for (StateId id = 0; index(id) < states_.size(); ++id) reached.push_back(reached_unread(id));
  const Components components = find_components(reached);
  for (StateId id = 0; index(id) < states_.size(); ++id)
    if (states_[index(id)].kind == GrammarState::Kind::call && components.in_cycle(id)) return id;
  return std::nullopt;
}

MarkedGrammar::MarkedGrammar(std::unique_ptr<Grammar> inside, std::string opening,
                             std::string closing)
    : Grammar(inside->regexes()),
      inside_(std::move(inside)),
      closing_(std::move(closing)),
      free_text_(free_text(regexes(), opening)),
      closing_text_(regexes().concat(regexes().literal(closing_), regexes().tag(0))) {}

const GrammarState& MarkedGrammar::state(StateId id) {
  using enum GrammarState::Kind;
  switch (id) {
    case kEnd:
      return state_ = {};
    case kFree:
      return state_ = {scan, free_text_, {kEnd, kMarked}};
    case kMarked:
      return state_ = {call, RegexSet::kNothing, {inside_->start() + kInside, kClosing}};
    case kClosing:
      return state_ = {scan, closing_text_, {kFree}};
    default:
      state_ = inside_->state(id - kInside);
      for (StateId& next : state_.next) next += kInside;
      return state_;
  }
}

StateId MarkedGrammar::after_scan(StateId scan, int tag) {
  if (scan < kInside) return Grammar::after_scan(scan, tag);
  return inside_->after_scan(scan - kInside, tag) + kInside;
}

std::optional<std::string> MarkedGrammar::way_out(StateId id) {
  if (id >= kInside) return inside_->way_out(id - kInside);
  if (id != kMarked) return id == kClosing ? closing_ : "";
  auto text = inside_->way_out(inside_->start());
  if (text) *text += closing_;
  return text;
}

}  // namespace confab::engine
