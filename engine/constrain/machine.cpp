// SPDX-License-Identifier: MIT
#include "engine/constrain/machine.h"

#include <algorithm>
#include <optional>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr int kMaxDepth = 1000;  // callers
constexpr std::size_t kMaxReadings = 4096;
constexpr std::size_t kMaxRemembered = std::size_t{1} << 16U;
constexpr StackId kBottom = 0;

std::uint64_t pair_of(std::int32_t a, std::int32_t b) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32U) |
         static_cast<std::uint32_t>(b);
}

}  // namespace

Machine::Machine(Grammar& grammar) : grammar_(grammar), frames_{{-1, kBottom, 0}} {}

Position Machine::start() {
  return enter(grammar_.start(), kBottom);
}

StackId Machine::push(StateId next, StackId parent) {
  const auto id = static_cast<StackId>(frames_.size());
  const auto [at, is_new] = frame_ids_.try_emplace(pair_of(next, parent), id);
  if (is_new)
    frames_.push_back({next, parent, frames_[static_cast<std::size_t>(parent)].depth + 1});
  return at->second;
}

void Machine::tidy(Position& position) const {
  std::vector<Reading>& readings = position.readings;
  std::ranges::sort(readings);
  readings.erase(std::unique(readings.begin(), readings.end()), readings.end());
  if (readings.size() > kMaxReadings)
    throw ModelError("the grammar is too ambiguous: a text has too many readings");
}

const Position& Machine::enter(StateId state, StackId stack) {
  const std::uint64_t key = pair_of(state, stack);
  if (const auto known = entered_.find(key); known != entered_.end()) return known->second;
  if (entered_.size() >= kMaxRemembered) entered_.clear();
  Position position;
  std::vector<std::uint64_t> seen;
  expand(state, stack, position, seen);
  tidy(position);
  return entered_.emplace(key, std::move(position)).first->second;
}

// A rule that ends has its caller go on, without a reading in between.
void Machine::expand(StateId state, StackId stack, Position& into,
                     std::vector<std::uint64_t>& seen) {
  const std::uint64_t key = pair_of(state, stack);
  if (std::ranges::find(seen, key) != seen.end()) return;
  if (seen.size() >= kMaxReadings || frames_[static_cast<std::size_t>(stack)].depth > kMaxDepth)
    return;
  seen.push_back(key);
  if (grammar_.state(state).kind == GrammarState::Kind::scan)
    return expand_scan(state, stack, into, seen);
  const GrammarState here = grammar_.state(state);
  if (here.kind == GrammarState::Kind::fork) {
    for (const StateId next : here.next) expand(next, stack, into, seen);
  } else if (here.kind == GrammarState::Kind::call) {
    const bool is_last = grammar_.state(here.next[1]).kind == GrammarState::Kind::end;
    expand(here.next[0], is_last ? stack : push(here.next[1], stack), into, seen);
  } else if (stack == kBottom) {
    into.may_end = true;
  } else {
    const Frame frame = frames_[static_cast<std::size_t>(stack)];
    expand(frame.next, frame.parent, into, seen);
  }
}

void Machine::expand_scan(StateId scan, StackId stack, Position& into,
                          std::vector<std::uint64_t>& seen) {
  const RegexId regex = grammar_.state(scan).regex;
  if (regex == RegexSet::kNothing || grammar_.regexes().is_empty(regex)) return;
  into.readings.push_back({regex, scan, stack});
  for (const int tag : grammar_.regexes().tags(regex))
    expand(grammar_.after_scan(scan, tag), stack, into, seen);
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

std::optional<std::string> Machine::rest_of(StateId state, StackId stack) {
  std::optional<std::string> text = grammar_.way_out(state);
  for (; text && stack != kBottom; stack = frames_[static_cast<std::size_t>(stack)].parent) {
    const auto rest = grammar_.way_out(frames_[static_cast<std::size_t>(stack)].next);
    text = rest ? std::optional(*text + *rest) : std::nullopt;
  }
  return text;
}

std::string Machine::way_out(const Position& from) {
  if (from.may_end) return {};
  std::optional<std::string> best;
  for (const Reading& reading : from.readings) {
    for (const auto& [tag, text] : grammar_.regexes().shortest_by_tag(reading.regex)) {
      const StateId next = grammar_.after_scan(reading.scan, tag);
      const auto rest = rest_of(next, reading.stack);
      if (rest && (!best || text.size() + rest->size() < best->size())) best = text + *rest;
    }
  }
  return best.value_or("");
}

}  // namespace confab::engine
