// SPDX-License-Identifier: MIT
#include "engine/constrain/mask_maker.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace confab::engine {
namespace {

constexpr std::size_t kMaxInside = 2048;  // states that are remembered
constexpr std::size_t kMaxBases = 16;
constexpr std::size_t kFirstSlots = 256;
constexpr double kManyTokens = 1.0 / 8;             // of the vocabulary: what makes a base
constexpr std::string_view kProbes = "aeqzAZ05 -";  // bytes after which a base has to agree

}  // namespace

MaskMaker::MaskMaker(const TokenTrie& trie, RegexSet& regexes)
    : trie_(trie), regexes_(regexes), mask_(trie.n_vocab()) {}

bool MaskMaker::Walks::begin(std::uint32_t node, const Reading& reading) {
  if (2 * n_ >= slots_.size()) grow();
  const std::size_t at = find({node, reading, round_});
  if (slots_[at].round == round_) return false;
  slots_[at] = {node, reading, round_};
  ++n_;
  return true;
}

void MaskMaker::Walks::forget() {
  n_ = 0;
  ++round_;
}

// Where the walk is, or a place that is free.
std::size_t MaskMaker::Walks::find(const Walk& walk) const noexcept {
  std::uint64_t hash = walk.node;
  for (const std::int32_t part : {walk.reading.regex, walk.reading.scan, walk.reading.stack})
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15U;
  std::size_t at = (hash ^ (hash >> 32U)) & (slots_.size() - 1);
  while (slots_[at].round == round_ && slots_[at] != walk) at = (at + 1) & (slots_.size() - 1);
  return at;
}

void MaskMaker::Walks::grow() {
  const std::vector<Walk> former =
      std::exchange(slots_, std::vector<Walk>(std::max(kFirstSlots, 2 * slots_.size())));
  for (const Walk& walk : former)
    if (walk.round == round_) slots_[find(walk)] = walk;
}

const TokenMask& MaskMaker::mask(Machine& machine, const Position& position) {
  mask_.clear();
  walks_.forget();
  if (inside_.size() >= kMaxInside) {
    inside_.clear();
    bases_.clear();
  }
  for (const Reading& reading : position.readings) {
    const Inside& of = inside(reading.regex);
    mask_.add(of.tokens);
    follow(machine, reading, of.exits);
  }
  return mask_;
}

void MaskMaker::add(TokenMask& mask, Token token) const {
  for (; token != TokenTrie::kNone; token = trie_.twin(token)) mask.add(token);
}

const MaskMaker::Inside& MaskMaker::inside(RegexId regex) {
  std::unique_ptr<Inside>& of = inside_[regex];
  if (of) return *of;
  auto made = std::make_unique<Inside>(Inside{TokenMask(trie_.n_vocab()), {}});
  const RegexId base = find_base(regex);
  if (base == RegexSet::kNothing) {
    walk_inside(regex, *made);
    if (bases_.size() < kMaxBases && made->tokens.count() > kManyTokens * trie_.n_vocab())
      bases_.push_back(regex);
  } else {
    *made = *inside_.at(base);
    walk_apart(regex, base, *made);
  }
  std::ranges::stable_sort(made->exits, {}, &Exit::regex);
  std::unique_ptr<Inside>& place = inside_[regex];
  place = std::move(made);
  return *place;
}

// A base that agrees with the state after most bytes; kNothing: there is none.
RegexId MaskMaker::find_base(RegexId regex) {
  if (const RegexId free = regexes_.without_limits(regex); free != regex) {
    inside(free);
    return free;
  }
  const auto agreement = [&](RegexId base) {
    return std::ranges::count_if(kProbes, [&](char c) {
      const auto byte = static_cast<std::uint8_t>(c);
      return regexes_.derive(regex, byte) == regexes_.derive(base, byte);
    });
  };
  for (const RegexId base : bases_)
    if (2 * agreement(base) > static_cast<std::ptrdiff_t>(kProbes.size())) return base;
  return RegexSet::kNothing;
}

void MaskMaker::walk_inside(RegexId regex, Inside& into) {
  const auto nodes = trie_.nodes();
  std::vector<RegexId> states(trie_.max_depth() + 1);
  states[0] = regex;
  for (std::uint32_t i = 0; i < nodes.size();) {
    const TokenTrie::Node& node = nodes[i];
    const RegexId next = regexes_.derive(states[node.depth - 1U], node.byte);
    if (next == RegexSet::kNothing) {
      i = node.end;
      continue;
    }
    states[node.depth] = next;
    if (node.token != TokenTrie::kNone) add(into.tokens, node.token);
    ++i;
    if (node.end > i && regexes_.accepts(next)) into.exits.push_back({i - 1, next});
  }
}

void MaskMaker::remove_below(Inside& from, std::uint32_t node) const {
  const auto nodes = trie_.nodes();
  for (std::uint32_t i = node; i < nodes[node].end; ++i)
    for (Token token = nodes[i].token; token != TokenTrie::kNone; token = trie_.twin(token))
      from.tokens.remove(token);
}

// `into` is that of the base. Where both states come together, all below is the same.
void MaskMaker::walk_apart(RegexId regex, RegexId base, Inside& into) {
  const auto nodes = trie_.nodes();
  std::vector<std::array<RegexId, 2>> states(trie_.max_depth() + 1);
  states[0] = {regex, base};
  std::vector<Exit> exits;
  std::ranges::sort(into.exits, {}, &Exit::node);
  auto of_base = into.exits.begin();
  const auto keep_exits = [&](std::uint32_t from, std::uint32_t to, bool are_kept) {
    while (of_base != into.exits.end() && of_base->node < from) ++of_base;
    for (; of_base != into.exits.end() && of_base->node < to; ++of_base)
      if (are_kept) exits.push_back(*of_base);
  };
  for (std::uint32_t i = 0; i < nodes.size();) {
    const TokenTrie::Node& node = nodes[i];
    const auto [here, there] = states[node.depth - 1U];
    const RegexId next = regexes_.derive(here, node.byte);
    const RegexId other = there == RegexSet::kNothing ? there : regexes_.derive(there, node.byte);
    const bool is_same = regexes_.are_alike(next, other, node.height);
    if (next == RegexSet::kNothing || (is_same && other != RegexSet::kNothing)) {
      keep_exits(i, node.end, is_same);
      if (!is_same) remove_below(into, i);
      i = node.end;
      continue;
    }
    states[node.depth] = {next, other};
    if (node.token != TokenTrie::kNone) add(into.tokens, node.token);
    ++i;
    if (node.end > i && regexes_.accepts(next)) exits.push_back({i - 1, next});
  }
  into.exits = std::move(exits);
}

// `exits` of the same state stand together.
void MaskMaker::follow(Machine& machine, const Reading& reading, std::span<const Exit> exits) {
  while (!exits.empty()) {
    const RegexId ended = exits.front().regex;
    const Position then = machine.after(reading, ended);
    for (; !exits.empty() && exits.front().regex == ended; exits = exits.subspan(1))
      for (const Reading& next : then.readings) walk(machine, next, exits.front().node);
  }
}

// What of the tokens below the node goes on from the reading.
void MaskMaker::walk(Machine& machine, const Reading& reading, std::uint32_t node) {
  if (!walks_.begin(node, reading)) return;
  const auto nodes = trie_.nodes();
  const std::size_t depth = nodes[node].depth;
  std::vector<RegexId> states(trie_.max_depth() + 1U - depth);
  states[0] = reading.regex;
  for (std::uint32_t i = node + 1; i < nodes[node].end;) {
    const TokenTrie::Node& below = nodes[i];
    const RegexId next = regexes_.derive(states[below.depth - depth - 1U], below.byte);
    if (next == RegexSet::kNothing) {
      i = below.end;
      continue;
    }
    states[below.depth - depth] = next;
    if (below.token != TokenTrie::kNone) add(mask_, below.token);
    ++i;
    if (below.end > i && regexes_.accepts(next))
      follow(machine, reading, std::array{Exit{i - 1, next}});
  }
}

}  // namespace confab::engine
