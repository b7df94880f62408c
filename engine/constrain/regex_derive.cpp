// SPDX-License-Identifier: MIT
// Walks the automaton of a RegexSet, and finds short texts in it.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/constrain/regex.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

// The order in which bytes are tried: bytes that people write come first.
const std::array<std::uint8_t, 256>& bytes_in_order() {
  static const auto order = [] {
    std::array<std::uint8_t, 256> bytes{};
    for (std::size_t i = 0; i < 256; ++i) bytes[i] = static_cast<std::uint8_t>(i);
    const auto rank = [](std::uint8_t b) {
      if (b == '"') return 0;
      if (b >= '0' && b <= '9') return 1;
      if (b >= 'a' && b <= 'z') return 2;
      return b >= 0x20 && b < 0x7F ? 3 : 4;
    };
    std::ranges::stable_sort(bytes, {}, rank);
    return bytes;
  }();
  return order;
}

using Texts = std::vector<std::pair<int, std::string>>;

// Keeps the shorter of two texts of a tag.
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

RegexId RegexSet::derive(RegexId state, std::uint8_t byte) {
  const Row steps = row(state);
  const RegexId next = steps.next[steps.kinds->of[byte]];
  const Liveness known = liveness_[index(next)];
  if (known == Liveness::live) return next;
  return known == Liveness::dead || is_empty(next) ? kNothing : next;
}

RegexId RegexSet::derive(RegexId state, std::string_view text) {
  for (const char c : text) state = derive(state, static_cast<std::uint8_t>(c));
  return state;
}

// The successors of a state, which are all computed at the first step. A successor may accept
// nothing.
RegexSet::Row RegexSet::row(RegexId state) {
  if (rows_[index(state)].kinds != nullptr) return rows_[index(state)];
  const ByteKinds& kinds = kinds_after(state);
  std::vector<RegexId> next;
  next.reserve(kinds.bytes.size());
  for (const std::uint8_t byte : kinds.bytes) next.push_back(compute(state, byte));
  return rows_[index(state)] = {&kinds, lists_.keep(next).data()};
}

// The sets of bytes that decide what follows a state. A part that occurs in several places is
// visited once.
void RegexSet::collect_fronts(RegexId state, std::vector<std::int32_t>& sets) {
  if (fronts_seen_.size() < nodes_.size()) fronts_seen_.resize(nodes_.capacity());
  ++n_fronts_;
  std::vector<RegexId> open{state};
  while (!open.empty()) {
    const RegexId at = open.back();
    open.pop_back();
    if (std::exchange(fronts_seen_[index(at)], n_fronts_) == n_fronts_) continue;
    effort_.spend(1);
    const Node& of = node(at);
    switch (of.kind) {
      case Kind::nothing:
      case Kind::empty:
      case Kind::tag:
        break;
      case Kind::bytes:
        sets.push_back(of.a);
        break;
      case Kind::table:
        sets.insert(sets.end(), tables_[index(of.a)].sets.begin(), tables_[index(of.a)].sets.end());
        break;
      case Kind::concat:
        open.push_back(of.a);
        if (node(of.a).nullable) open.push_back(of.b);
        break;
      case Kind::repeat:
      case Kind::negation:
        open.push_back(of.a);
        break;
      case Kind::either:
      case Kind::both:
        open.insert(open.end(), of.parts.begin(), of.parts.end());
    }
  }
  std::ranges::sort(sets);
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
}

// Bytes that are in the same sets lead to the same state (Owens, Reppy, Turon 2009). If too many
// sets decide, each byte is a separate kind.
const RegexSet::ByteKinds& RegexSet::kinds_after(RegexId state) {
  constexpr std::size_t kMaxSets = 64;
  std::vector<std::int32_t> sets;
  collect_fronts(state, sets);
  if (sets.size() > kMaxSets) sets.assign(1, -1);
  const auto [at, is_new] = kinds_.try_emplace(std::move(sets));
  if (is_new) at->second = make_kinds(at->first);
  return at->second;
}

RegexSet::ByteKinds RegexSet::make_kinds(std::span<const std::int32_t> sets) const {
  std::array<std::uint64_t, 256> members{};  // [bytes] the sets that contain the byte
  for (std::size_t byte = 0; byte < 256; ++byte) {
    if (!sets.empty() && sets[0] < 0) members[byte] = byte;
    for (std::size_t i = 0; i < sets.size() && sets[i] >= 0; ++i)
      if (sets_[index(sets[i])].has(static_cast<std::uint8_t>(byte)))
        members[byte] |= std::uint64_t{1} << i;
  }
  ByteKinds kinds{};
  for (const std::uint8_t byte : bytes_in_order()) {
    const auto is_like = [&](std::uint8_t other) { return members[other] == members[byte]; };
    const auto found = std::ranges::find_if(kinds.bytes, is_like);
    kinds.of[byte] = static_cast<std::uint8_t>(found - kinds.bytes.begin());
    if (found == kinds.bytes.end()) kinds.bytes.push_back(byte);
  }
  return kinds;
}

RegexId RegexSet::compute_part(RegexId state, std::uint8_t byte) {
  const Kind kind = node(state).kind;
  if (kind == Kind::bytes || kind == Kind::empty || kind == Kind::tag) return compute(state, byte);
  const std::uint64_t key = (static_cast<std::uint64_t>(state) << 8U) | byte;
  const std::size_t at = (key * 0x9e3779b97f4a7c15U) >> 50U;
  if (memo_[at].key == key) return memo_[at].value;
  effort_.spend(1);
  const RegexId next = compute(state, byte);
  memo_[at] = {key, next};
  return next;
}

RegexId RegexSet::compute(RegexId state, std::uint8_t byte) {
  const auto [kind, nullable, is_live, extent, nesting, a, b, c, parts] =
      node(state);  // copied, because nodes are added
  switch (kind) {
    case Kind::nothing:
    case Kind::empty:
    case Kind::tag:
      return kNothing;
    case Kind::bytes:
      return sets_[index(a)].has(byte) ? kEmpty : kNothing;
    case Kind::negation:
      return negation(compute_part(a, byte));
    case Kind::repeat: {
      const RegexId first = compute_part(a, byte);
      if (first == kNothing) return kNothing;
      return concat(first, repeat(a, std::max(b - 1, 0), c == kNoLimit ? c : c - 1));
    }
    case Kind::concat:
      return compute_chain(state, byte);
    case Kind::table: {
      const std::shared_ptr<const Table>& of = tables_[index(a)].table;
      const std::int32_t next = of->after(b, byte);
      return next < 0 ? kNothing : table(of, next);
    }
    case Kind::either:
    case Kind::both:
      break;
  }
  std::vector<RegexId> next;
  next.reserve(parts.size());
  for (const RegexId part : parts) next.push_back(compute_part(part, byte));
  return kind == Kind::either ? either(std::move(next)) : both(std::move(next));
}

// The language after the byte in the first part, in the next part if the first may be empty, and so
// on.
RegexId RegexSet::compute_chain(RegexId state, std::uint8_t byte) {
  constexpr std::size_t kMaxEmpty = 2000;  // parts in a row that may be empty
  std::vector<RegexId> all;
  bool goes_on = true;
  while (goes_on && node(state).kind == Kind::concat) {
    if (all.size() >= kMaxEmpty) throw ModelError("it is too complex: simplify its patterns");
    const RegexId head = node(state).a, rest = node(state).b;
    all.push_back(concat(compute_part(head, byte), rest));
    goes_on = node(head).nullable;
    state = rest;
  }
  if (goes_on) all.push_back(compute_part(state, byte));
  return all.size() == 1 ? all.front() : either(std::move(all));
}

bool RegexSet::is_empty(RegexId state) {
  Liveness known = liveness_[index(state)];
  if (known == Liveness::unknown) {
    known = finds_accepted(state) ? Liveness::live : Liveness::dead;
    liveness_[index(state)] = known;
  }
  return known == Liveness::dead;
}

// Marks the state as seen. Returns whether the current search had not seen it yet.
bool RegexSet::is_new(RegexId state) {
  if (seen_.size() < nodes_.size()) seen_.resize(nodes_.capacity());
  return std::exchange(seen_[index(state)], n_searches_) != n_searches_;
}

// Searches depth first. If a live state is found, all states on the way to it are live. If none is
// found, all states seen are dead.
bool RegexSet::finds_accepted(RegexId state) {
  struct Step {
    RegexId state;
    std::size_t from;
  };
  ++n_searches_;
  is_new(state);
  std::vector<Step> seen{{state, 0}};
  std::vector<std::size_t> open{0};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    const Row here = row(seen[at].state);
    for (std::size_t kind = 0; kind < here.kinds->bytes.size(); ++kind) {
      const RegexId next = here.next[kind];
      const Liveness known = liveness_[index(next)];
      if (known == Liveness::live) {
        for (std::size_t i = at; i != 0; i = seen[i].from) liveness_[index(seen[i].state)] = known;
        return true;
      }
      if (known == Liveness::dead || !is_new(next)) continue;
      if (seen.size() >= kMaxExplored) throw ModelError("it is too complex: simplify its patterns");
      open.push_back(seen.size());
      seen.push_back({next, at});
    }
  }
  for (const Step& dead : seen) liveness_[index(dead.state)] = Liveness::dead;
  return false;
}

// Below some depth, alternatives stay as they are, which costs only time.
RegexId RegexSet::without_limits(RegexId state, int depth) {
  constexpr int kLong = 8;
  constexpr int kMaxDepth = 16;
  if (depth > kMaxDepth) return state;
  if (const auto known = without_limits_.find(state); known != without_limits_.end())
    return known->second;
  const auto [kind, nullable, is_live, extent, nesting, a, b, c, parts] =
      node(state);  // copied, because nodes are added
  RegexId free = state;
  if (kind == Kind::repeat && c > kLong) {
    free = repeat(a, b, kNoLimit);
  } else if (kind == Kind::concat) {
    free = chain_without_limits(state, depth + 1);
  } else if (kind == Kind::either || kind == Kind::both) {
    std::vector<RegexId> each;
    for (const RegexId part : parts) each.push_back(without_limits(part, depth + 1));
    free = kind == Kind::either ? either(std::move(each)) : both(std::move(each));
  }
  without_limits_.emplace(state, free);
  return free;
}

// Removes the limit of the first part that has one. Chains are as long as texts, so this is a loop,
// which remembers the result for the rest of the chain after each part.
RegexId RegexSet::chain_without_limits(RegexId state, int depth) {
  std::vector<RegexId> chain;
  RegexId free = state;
  for (; node(state).kind == Kind::concat; state = node(state).b) {
    const auto known = without_limits_.find(state);
    const RegexId head = node(state).a, rest = node(state).b;
    const RegexId changed = without_limits(head, depth + 1);
    free = known != without_limits_.end() ? known->second : concat(changed, rest);
    if (known != without_limits_.end() || changed != head) break;
    chain.push_back(state);
  }
  if (node(state).kind != Kind::concat) free = without_limits(state, depth + 1);
  for (; !chain.empty(); chain.pop_back()) {
    free = concat(node(chain.back()).a, free);
    without_limits_.emplace(chain.back(), free);
  }
  return free;
}

bool RegexSet::are_alike(RegexId a, RegexId b, int n_bytes, int depth) const {
  constexpr int kMaxDepth = 4;  // each level may have many pairs
  const auto is_chain = [this](RegexId id) { return node(id).kind == Kind::concat; };
  while (a != b && is_chain(a) && is_chain(b) && node(a).a == node(b).a) {
    a = node(a).b;
    b = node(b).b;
  }
  if (a == b) return true;
  if (depth > kMaxDepth) return false;
  const Node &x = node(a), &y = node(b);
  if (x.kind != y.kind) return false;
  if (x.kind == Kind::repeat) {
    const auto is_far = [&](int limit) { return limit == kNoLimit || limit >= n_bytes; };
    return x.a == y.a && x.b == y.b && is_far(x.c) && is_far(y.c);
  }
  if (x.kind == Kind::concat) return x.b == y.b && are_alike(x.a, y.a, n_bytes, depth + 1);
  if (x.kind != Kind::either && x.kind != Kind::both) return false;
  return have_likes(x.parts, y.parts, n_bytes, depth + 1) &&
         have_likes(y.parts, x.parts, n_bytes, depth + 1);
}

// Whether each of the parts, which are sorted, is among the others or alike to one of them. Returns
// false if too many would have to be compared.
bool RegexSet::have_likes(std::span<const RegexId> parts, std::span<const RegexId> others,
                          int n_bytes, int depth) const {
  constexpr std::size_t kMost = 8;
  std::vector<RegexId> apart;
  std::ranges::set_difference(parts, others, std::back_inserter(apart));
  if (apart.size() > kMost || (!apart.empty() && others.size() > kMost * kMost)) return false;
  return std::ranges::all_of(apart, [&](RegexId part) {
    return std::ranges::any_of(others,
                               [&](RegexId o) { return are_alike(part, o, n_bytes, depth); });
  });
}

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

// The number of tags at the ends of the expression, whether they can be reached or not.
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

// Searches breadth first for texts by tag. Looks at up to n_left states, and subtracts them. After
// the first text, only kMaxAfterFirst more are visited. Empty if nothing is found.
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

// Joins short texts of the parts. Empty if no text is found for one of them.
RegexSet::Texts RegexSet::short_by_parts(RegexId state, int depth, std::size_t& n_left) {
  if (depth > Effort::kMaxDepth) return {};
  effort_.spend(16);
  std::string heads;
  for (; node(state).kind == Kind::concat; state = node(state).b)
    if (!append_short(heads, {node(state).a, 1}, depth, n_left)) return {};
  const Node of = node(state);  // copied, because nodes are added
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

// Most texts end soon, so a short search comes first. For the others, joining texts of their parts
// is cheaper than visiting many states, which may have many parts each.
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
