// SPDX-License-Identifier: MIT
// Short texts that an expression accepts.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/constrain/regex.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

using Texts = std::vector<std::pair<int, std::string>>;

// Of two texts of a tag the shorter one stays.
void offer(Texts& texts, Texts others) {
  for (auto& [tag, text] : others) {
    const auto known = std::ranges::find(texts, tag, &Texts::value_type::first);
    if (known == texts.end())
      texts.emplace_back(tag, std::move(text));
    else if (text.size() < known->second.size())
      known->second = std::move(text);
  }
}

}  // namespace

bool RegexSet::can_be_explored(RegexId state) {
  const std::size_t n_most = n_nodes() + kMaxExplored;  // a state of many parts takes longer
  ++n_searches_;
  is_new(state);
  std::vector<RegexId> open{state};
  for (std::size_t n = 1; !open.empty();) {
    const RegexId at = open.back();
    open.pop_back();
    const Row here = row(at);
    for (std::size_t kind = 0; kind < here.kinds->bytes.size(); ++kind) {
      const RegexId next = here.next[kind];
      if (next == kNothing || !is_new(next)) continue;
      if (++n > kMaxExplored || n_nodes() > n_most) return false;
      open.push_back(next);
    }
  }
  return true;
}

// Those that stand at its ends, whether they are reached or not.
std::size_t RegexSet::count_tags(RegexId state) const {
  std::vector<RegexId> open{state};
  std::unordered_set<RegexId> seen, tags;
  while (!open.empty()) {
    RegexId at = open.back();
    open.pop_back();
    while (node(at).kind == Kind::concat) at = node(at).b;
    if (!seen.insert(at).second) continue;
    if (node(at).kind == Kind::tag) tags.insert(at);
    if (node(at).kind == Kind::either)
      open.insert(open.end(), node(at).parts.begin(), node(at).parts.end());
  }
  return tags.size();
}

// What comes first of all texts, of at most so many states, which are taken off, and of a few more
// once there is something; empty: there is nothing among these.
RegexSet::Texts RegexSet::explore_by_tag(RegexId state, std::size_t& n_left) {
  constexpr std::size_t kMaxAfterFirst = 2000;  // states that are looked at for further tags
  struct Step {
    RegexId state;
    std::size_t from;
    std::uint8_t byte;
  };
  Texts found;
  std::vector<Step> steps{{state, 0, 0}};
  std::unordered_set<RegexId> seen{state};
  std::size_t limit = n_left;
  const std::size_t n_tags = count_tags(state);
  const auto note = [&](int tag, std::size_t at) {
    if (std::ranges::find(found, tag, &std::pair<int, std::string>::first) != found.end()) return;
    std::string text;
    for (; at != 0; at = steps[at].from) text += static_cast<char>(steps[at].byte);
    found.emplace_back(tag, std::string(text.rbegin(), text.rend()));
  };
  for (std::size_t i = 0; i < steps.size() && i < limit; ++i) {
    const RegexId here = steps[i].state;
    n_left -= std::min<std::size_t>(n_left, 1);
    if (accepts(here)) {
      if (found.empty()) limit = i + kMaxAfterFirst;
      const std::vector<int> reached = tags(here);
      for (const int tag : reached) note(tag, i);
      if (reached.empty()) note(-1, i);
      if (reached.empty() || found.size() == n_tags) return found;
    }
    for (const std::uint8_t byte : row(here).kinds->bytes) {
      const RegexId next = derive(here, byte);
      if (next != kNothing && seen.insert(next).second) steps.push_back({next, i, byte});
    }
  }
  return found;
}

// The shortest texts of parts, put together; empty: one of them has none that is found.
RegexSet::Texts RegexSet::short_by_parts(RegexId state, int depth, std::size_t& n_left) {
  if (depth > Effort::kMaxDepth) return {};
  effort_.spend(16);
  std::string heads;
  for (; node(state).kind == Kind::concat; state = node(state).b)
    if (!append_short(heads, {node(state).a, 1}, depth, n_left)) return {};
  const Node of = node(state);  // nodes are added
  Texts texts;
  if (of.kind == Kind::either) {
    for (const RegexId part : of.parts) offer(texts, short_by_parts(part, depth + 1, n_left));
  } else if (of.kind == Kind::tag || of.nullable) {
    texts.emplace_back(of.kind == Kind::tag ? of.a : -1, "");
  } else if (of.kind == Kind::bytes) {
    const auto has = [&](std::uint8_t byte) { return sets_[index(of.a)].has(byte); };
    const auto byte = *std::ranges::find_if(kinds_after(state).bytes, has);
    texts.emplace_back(-1, std::string(1, static_cast<char>(byte)));
  } else if (of.kind == Kind::repeat) {
    std::string all;
    const auto n = static_cast<std::size_t>(of.b);
    if (append_short(all, {of.a, n}, depth, n_left)) texts.emplace_back(-1, std::move(all));
  } else {
    texts = explore_by_tag(state, n_left);
  }
  for (auto& [tag, text] : texts) {
    effort_.spend((heads.size() + text.size()) / 64);
    text.insert(0, heads);
  }
  return texts;
}

bool RegexSet::append_short(std::string& to, Times of, int depth, std::size_t& n_left) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
  const auto [state, n] = of;
  const Texts texts = short_by_parts(state, depth + 1, n_left);
  if (texts.empty() || to.size() + n * texts.front().second.size() > kMaxBytes) return false;
  for (std::size_t i = 0; i < n; ++i) to += texts.front().second;
  return true;
}

// Most texts end soon. How others are made tells more of them than many of their states do, which
// may be of many parts each.
RegexSet::Texts RegexSet::shortest_by_tag(RegexId state) {
  constexpr std::size_t kFew = 64, kSome = 2000;
  std::size_t n_left = kFew;
  Texts found = explore_by_tag(state, n_left);
  n_left = kSome;
  if (found.empty()) found = short_by_parts(state, 0, n_left);
  n_left = kMaxExplored;
  if (found.empty()) found = explore_by_tag(state, n_left);
  if (found.empty()) found = short_by_parts(state, 0, n_left = kMaxExplored);
  if (found.empty()) throw ModelError("it is too complex: simplify its patterns");
  return found;
}

}  // namespace confab::engine
