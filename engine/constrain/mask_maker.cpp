// SPDX-License-Identifier: MIT
#include "engine/constrain/mask_maker.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

std::size_t shared_length(std::string_view a, std::string_view b) {
  const auto [at, other] = std::ranges::mismatch(a, b);
  return static_cast<std::size_t>(at - a.begin());
}

constexpr std::size_t kMaxInside = 2048;  // states to remember
constexpr std::size_t kMaxBases = 16;
constexpr double kManyTokens = 1.0 / 8;             // share of the vocabulary that makes a base
constexpr std::string_view kProbes = "aeqzAZ05 -";  // bytes after which a base has to agree

// Remembers the results of RegexSet::are_alike() for recent pairs, because the same few states are
// met at most nodes.
class Likes {
 public:
  explicit Likes(const RegexSet& regexes) : regexes_(regexes) {}

  bool are_alike(RegexId a, RegexId b, int n_bytes) {
    const std::uint32_t hash = 31 * static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b);
    Known& known = known_[hash % known_.size()];
    if (known.a != a || known.b != b) known = {a, b};
    // States that are alike for some number of bytes are alike for fewer.
    if (n_bytes <= known.up_to) return true;
    if (n_bytes >= known.not_from) return false;
    const bool are = regexes_.are_alike(a, b, n_bytes);
    (are ? known.up_to : known.not_from) = n_bytes;
    return are;
  }

 private:
  struct Known {
    RegexId a = RegexSet::kNothing;
    RegexId b = RegexSet::kNothing;
    int up_to = -1;
    int not_from = std::numeric_limits<int>::max();
  };
  const RegexSet& regexes_;
  std::array<Known, 64> known_{};
};

}  // namespace

TokenTrie::TokenTrie(const Tokenizer& tokenizer) {
  std::vector<std::string_view> texts;
  for (Token token = 0; token < tokenizer.n_vocab(); ++token)
    texts.push_back(tokenizer.is_eog(token) ? std::string_view() : tokenizer.piece(token, false));
  build(texts);
}

TokenTrie::TokenTrie(std::span<const std::string_view> texts) {
  build(texts);
}

void TokenTrie::build(std::span<const std::string_view> texts) {
  twins_.assign(texts.size(), kNone);
  std::vector<Token> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  const auto text_of = [&](Token token) { return texts[static_cast<std::size_t>(token)]; };
  std::ranges::stable_sort(order, {}, text_of);
  std::vector<std::uint32_t> open;  // the path to the end of the last token
  const auto close = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) {
      Node& node = nodes_[open.back()];
      node.end = static_cast<std::uint32_t>(nodes_.size());
      if (open.size() < 2) continue;
      std::uint16_t& above = nodes_[open[open.size() - 2]].height;
      above = std::max(above, static_cast<std::uint16_t>(node.height + 1));
    }
  };
  std::string_view last;
  Token last_token = kNone;
  for (const Token token : order) {
    const std::string_view text = text_of(token);
    if (text.empty() || text.size() > std::numeric_limits<std::uint16_t>::max()) continue;
    if (text == last) {
      twins_[static_cast<std::size_t>(last_token)] = token;
      last_token = token;
      continue;
    }
    close(shared_length(last, text));
    while (open.size() < text.size()) {
      const auto byte = static_cast<std::uint8_t>(text[open.size()]);
      open.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back({0, kNone, byte, static_cast<std::uint16_t>(open.size())});
    }
    nodes_.back().token = token;
    max_depth_ = std::max(max_depth_, text.size());
    last = text;
    last_token = token;
  }
  close(0);
}

MaskMaker::MaskMaker(const TokenTrie& trie, RegexSet& regexes)
    : trie_(trie), regexes_(regexes), mask_(trie.n_vocab()) {}

std::uint64_t MaskMaker::WalkHash::operator()(const Walk& walk) const noexcept {
  std::uint64_t hash = walk.node;
  for (const std::int32_t part : {walk.reading.regex, walk.reading.scan, walk.reading.stack})
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15U;
  return hash;
}

const TokenMask& MaskMaker::mask(Machine& machine, const Position& position) {
  regexes_.effort().begin();
  mask_.clear();
  walks_.clear();
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
  std::unique_ptr<Inside>& of = inside_[regex];  // stays valid when others are added
  if (of) return *of;
  auto made = std::make_unique<Inside>(Inside{TokenMask(trie_.n_vocab()), {}});
  const RegexId base = find_base(regex);
  if (base == RegexSet::kNothing) {
    const auto n_nodes = static_cast<std::uint32_t>(trie_.nodes().size());
    walk_below(regex, 0, n_nodes, made->tokens,
               [&](const Exit& exit) { made->exits.push_back(exit); });
    std::ranges::sort(made->exits);
    if (bases_.size() < kMaxBases && made->tokens.count() > kManyTokens * trie_.n_vocab())
      bases_.push_back(regex);
  } else {
    *made = *inside_.at(base);
    walk_apart(regex, base, *made);
  }
  of = std::move(made);
  return *of;
}

// A base that agrees with the state after most bytes, or kNothing.
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

// Walks the nodes [begin, end), which are whole subtrees of one depth. Adds the tokens that the
// expression allows, and calls at_exit where it may end inside a token.
template <class AtExit>
void MaskMaker::walk_below(RegexId regex, std::uint32_t begin, std::uint32_t end, TokenMask& into,
                           const AtExit& at_exit) {
  if (begin == end) return;
  const auto nodes = trie_.nodes();
  const std::size_t depth = nodes[begin].depth;
  std::vector<RegexId> states(trie_.max_depth() + 2U - depth);
  states[0] = regex;
  for (std::uint32_t i = begin; i < end;) {
    const TokenTrie::Node& node = nodes[i];
    const RegexId next = regexes_.derive(states[node.depth - depth], node.byte);
    if (next == RegexSet::kNothing) {
      i = node.end;
      continue;
    }
    states[node.depth - depth + 1U] = next;
    if (node.token != TokenTrie::kNone) add(into, node.token);
    ++i;
    if (node.end > i && regexes_.accepts(next)) at_exit(Exit{next, i - 1});
  }
}

void MaskMaker::remove_below(Inside& from, std::uint32_t node) const {
  const auto nodes = trie_.nodes();
  for (std::uint32_t i = node; i < nodes[node].end; ++i)
    for (Token token = nodes[i].token; token != TokenTrie::kNone; token = trie_.twin(token))
      from.tokens.remove(token);
}

// On entry, `into` is a copy of the base's. Where both states become the same, everything below is
// the same.
void MaskMaker::walk_apart(RegexId regex, RegexId base, Inside& into) {
  const auto nodes = trie_.nodes();
  std::vector<std::array<RegexId, 2>> states(trie_.max_depth() + 1);
  states[0] = {regex, base};
  Likes likes(regexes_);
  std::vector<Range> same;
  std::vector<Exit> exits;
  for (std::uint32_t i = 0; i < nodes.size();) {
    const TokenTrie::Node& node = nodes[i];
    const auto [here, there] = states[node.depth - 1U];
    const RegexId next = regexes_.derive(here, node.byte);
    const RegexId other = there == RegexSet::kNothing ? there : regexes_.derive(there, node.byte);
    const bool is_same = next == other || likes.are_alike(next, other, node.height);
    if (next == RegexSet::kNothing || (is_same && other != RegexSet::kNothing)) {
      if (is_same)
        same.push_back({i, node.end});
      else
        remove_below(into, i);
      i = node.end;
      continue;
    }
    states[node.depth] = {next, other};
    if (node.token != TokenTrie::kNone) add(into.tokens, node.token);
    ++i;
    if (node.end > i && regexes_.accepts(next)) exits.push_back({next, i - 1});
  }
  keep_exits(into.exits, same);
  std::ranges::sort(exits);
  std::vector<Exit> all(into.exits.size() + exits.size());
  std::ranges::merge(into.exits, exits, all.begin());
  into.exits = std::move(all);
}

// Keeps the exits whose nodes are in one of the ranges, which are sorted.
void MaskMaker::keep_exits(std::vector<Exit>& exits, std::span<const Range> ranges) {
  auto range = ranges.begin();
  RegexId regex = RegexSet::kNothing;
  std::erase_if(exits, [&](const Exit& exit) {
    if (std::exchange(regex, exit.regex) != exit.regex) range = ranges.begin();
    while (range != ranges.end() && range->end <= exit.node) ++range;
    return range == ranges.end() || exit.node < range->begin;
  });
}

// Exits of the same state are adjacent.
void MaskMaker::follow(Machine& machine, const Reading& reading, std::span<const Exit> exits) {
  while (!exits.empty()) {
    const RegexId ended = exits.front().regex;
    const Position then = machine.after(reading, ended);
    for (; !exits.empty() && exits.front().regex == ended; exits = exits.subspan(1))
      for (const Reading& next : then.readings) walk(machine, next, exits.front().node);
  }
}

// Adds the tokens below the node that can continue from the reading.
void MaskMaker::walk(Machine& machine, const Reading& reading, std::uint32_t node) {
  if (!walks_.insert({node, reading})) return;
  walk_below(reading.regex, node + 1, trie_.nodes()[node].end, mask_,
             [&](const Exit& exit) { follow(machine, reading, std::array{exit}); });
}

}  // namespace confab::engine
