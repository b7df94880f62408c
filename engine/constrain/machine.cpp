// SPDX-License-Identifier: MIT
#include "engine/constrain/machine.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr int kMaxDepth = 1000;  // nested callers
constexpr std::size_t kMaxReadings = 4096;
constexpr std::size_t kMaxRemembered = std::size_t{1} << 16U;
constexpr StackId kBottom = 0;
constexpr StateId kNobody = -1;  // the caller at the bottom

std::uint64_t pair_of(std::int32_t a, std::int32_t b) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32U) |
         static_cast<std::uint32_t>(b);
}

[[noreturn]] void fail_ambiguous() {
  throw ModelError("the grammar is too ambiguous: a text has too many readings");
}

}  // namespace

Machine::Machine(Grammar& grammar) : grammar_(grammar), stacks_{{{{kNobody, kBottom}}, 0}} {}

Position Machine::start() {
  grammar_.regexes().effort().begin();
  return enter(grammar_.start(), kBottom);
}

StackId Machine::push(StateId next, StackId parent) {
  const auto id = static_cast<StackId>(stacks_.size());
  const auto [at, is_new] = pushed_.try_emplace(pair_of(next, parent), id);
  if (is_new) stacks_.push_back({{{next, parent}}, callers(parent).depth + 1});
  return at->second;
}

StackId Machine::unite(StackId a, StackId b) {
  const auto [known, is_new] = united_.try_emplace(pair_of(a, b), a);
  if (!is_new) return known->second;
  std::vector<Frame> tops;
  std::ranges::set_union(callers(a).tops, callers(b).tops, std::back_inserter(tops));
  if (tops.size() > kMaxReadings) fail_ambiguous();
  if (tops == callers(a).tops) return a;
  if (tops == callers(b).tops) return known->second = b;
  const auto [at, is_new_union] = unions_.try_emplace(tops, static_cast<StackId>(stacks_.size()));
  if (is_new_union)
    stacks_.push_back({std::move(tops), std::max(callers(a).depth, callers(b).depth)});
  return known->second = at->second;
}

void Machine::tidy(Position& position) {
  std::vector<Reading>& readings = position.readings;
  std::ranges::sort(readings);
  std::size_t n = 0;
  for (const Reading& reading : readings) {
    Reading* last = n == 0 ? nullptr : &readings[n - 1];
    if (last == nullptr || last->regex != reading.regex || last->scan != reading.scan)
      readings[n++] = reading;
    else if (last->stack != reading.stack)
      last->stack = unite(last->stack, reading.stack);
  }
  readings.resize(n);
  if (n > kMaxReadings) fail_ambiguous();
}

const Position& Machine::enter(StateId state, StackId stack) {
  const std::uint64_t key = pair_of(state, stack);
  if (const auto known = entered_.find(key); known != entered_.end()) return known->second;
  if (entered_.size() >= kMaxRemembered) entered_.clear();
  Position position;
  expanded_.clear();
  expand(state, stack, position);
  tidy(position);
  return entered_.emplace(key, std::move(position)).first->second;
}

// When a rule ends, its caller continues at once, without a reading in between.
void Machine::expand(StateId first, StackId under, Position& into) {
  open_.assign(1, {first, under});
  while (!open_.empty()) {
    const auto [state, stack] = open_.back();
    open_.pop_back();
    if (expanded_.size() >= kMaxReadings || callers(stack).depth > kMaxDepth) continue;
    if (!expanded_.insert(pair_of(state, stack))) continue;
    const GrammarState here = grammar_.state(state);
    switch (here.kind) {
      case GrammarState::Kind::scan:
        expand_scan(state, here.regex, stack, into);
        break;
      case GrammarState::Kind::fork:
        for (auto next = here.next.rbegin(); next != here.next.rend(); ++next)
          open_.push_back({*next, stack});
        break;
      case GrammarState::Kind::call: {
        const bool is_last = grammar_.state(here.next[1]).kind == GrammarState::Kind::end;
        open_.push_back({here.next[0], is_last ? stack : push(here.next[1], stack)});
        break;
      }
      case GrammarState::Kind::end:
        for (const Frame& top : callers(stack).tops)
          if (top.next == kNobody)
            into.may_end = true;
          else
            open_.push_back({top.next, top.parent});
    }
  }
}

void Machine::expand_scan(StateId scan, RegexId regex, StackId stack, Position& into) {
  if (regex == RegexSet::kNothing || grammar_.regexes().is_empty(regex)) return;
  into.readings.push_back({regex, scan, stack});
  for (const int tag : grammar_.regexes().tags(regex))
    open_.push_back({grammar_.after_scan(scan, tag), stack});
}

const Position& Machine::after(const Reading& reading, RegexId regex) {
  const std::vector<int> tags = grammar_.regexes().tags(regex);
  if (tags.size() == 1)
    return enter(grammar_.after_scan(reading.scan, tags.front()), reading.stack);
  after_ = {};
  for (const int tag : tags) {
    const Position& one = enter(grammar_.after_scan(reading.scan, tag), reading.stack);
    after_.readings.insert(after_.readings.end(), one.readings.begin(), one.readings.end());
    after_.may_end |= one.may_end;
  }
  tidy(after_);
  return after_;
}

Position Machine::advance(const Position& from, std::uint8_t byte) {
  Position to;
  RegexSet& regexes = grammar_.regexes();
  regexes.effort().begin();
  for (const Reading& reading : from.readings) {
    const RegexId next = regexes.derive(reading.regex, byte);
    if (next == RegexSet::kNothing) continue;
    if (!regexes.is_tag(next)) to.readings.push_back({next, reading.scan, reading.stack});
    if (!regexes.accepts(next)) continue;
    const Position& then = after(reading, next);
    to.readings.insert(to.readings.end(), then.readings.begin(), then.readings.end());
    to.may_end |= then.may_end;
  }
  tidy(to);
  return to;
}

Position Machine::advance(Position from, std::string_view bytes) {
  for (const char c : bytes) {
    from = advance(from, static_cast<std::uint8_t>(c));
    if (from.readings.empty() && !from.may_end) break;
  }
  return from;
}

std::string Machine::forced(Position from) {
  constexpr std::size_t kMost = 4096;
  std::string text;
  while (!from.may_end && text.size() < kMost) {
    std::optional<std::uint8_t> only;
    for (const Reading& reading : from.readings) {
      for (unsigned byte = 0; byte < 256; ++byte) {
        const auto b = static_cast<std::uint8_t>(byte);
        if (grammar_.regexes().derive(reading.regex, b) == RegexSet::kNothing) continue;
        if (only && *only != b) return text;
        only = b;
      }
    }
    if (!only) return text;
    from = advance(from, *only);
    text += static_cast<char>(*only);
  }
  return text;
}

// The shortest way out of the callers of a rule that has ended. Outer callers are computed first.
Machine::WayOut Machine::way_out_of_callers(StackId id) {
  for (std::vector<StackId> open{id}; !open.empty();) {
    const StackId at = open.back();
    const std::vector<Frame>& tops = callers(at).tops;
    const std::size_t n_open = open.size();
    for (const Frame& top : tops)
      if (top.next != kNobody && !ways_out_.contains(top.parent)) open.push_back(top.parent);
    if (open.size() > n_open) continue;
    open.pop_back();
    if (ways_out_.contains(at)) continue;
    WayOut best;
    for (std::size_t i = 0; i < tops.size(); ++i) {
      WayOut way{0, i};
      if (tops[i].next != kNobody) {
        const WayOut rest = ways_out_.at(tops[i].parent);
        const auto text = rest.exists() ? grammar_.way_out(tops[i].next) : std::nullopt;
        way.n_bytes = text ? rest.n_bytes + text->size() : WayOut::kNone;
      }
      if (way.n_bytes < best.n_bytes) best = way;
    }
    ways_out_.emplace(at, best);
  }
  return ways_out_.at(id);
}

std::optional<std::string> Machine::way_out(const Position& from) {
  if (from.may_end) return "";
  grammar_.regexes().effort().begin();
  ways_out_.clear();
  std::string begin;
  std::size_t n_best = WayOut::kNone;
  StackId stack = kBottom;
  for (const Reading& reading : from.readings) {
    const WayOut rest = way_out_of_callers(reading.stack);
    if (!rest.exists()) continue;
    for (const auto& [tag, text] : grammar_.regexes().shortest_by_tag(reading.regex)) {
      const auto end = grammar_.way_out(grammar_.after_scan(reading.scan, tag));
      if (!end || text.size() + end->size() + rest.n_bytes >= n_best) continue;
      n_best = text.size() + end->size() + rest.n_bytes;
      begin = text + *end;
      stack = reading.stack;
    }
  }
  if (n_best == WayOut::kNone) return std::nullopt;
  for (;;) {
    const Frame& top = callers(stack).tops[ways_out_[stack].top];
    if (top.next == kNobody) return begin;
    begin += grammar_.way_out(top.next).value_or("");
    stack = top.parent;
  }
}

}  // namespace confab::engine
