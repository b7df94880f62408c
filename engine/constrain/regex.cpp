// SPDX-License-Identifier: MIT
#include "engine/constrain/regex.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/error.h"

namespace confab::engine {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdU;
}

}  // namespace

RegexSet::RegexSet(std::size_t max_nodes)
    : max_nodes_(max_nodes), slots_(std::size_t{1} << 10U, -1), memo_(std::size_t{1} << 14U) {
  intern({.kind = Kind::nothing, .is_live = false, .extent = Extent::finite});
  intern({.kind = Kind::empty, .nullable = true, .extent = Extent::finite});
  intern({.kind = Kind::negation, .nullable = true, .extent = Extent::cofinite, .a = kNothing});
}

bool RegexSet::Node::operator==(const Node& other) const noexcept {
  return kind == other.kind && a == other.a && b == other.b && c == other.c &&
         std::ranges::equal(parts, other.parts);
}

std::span<RegexId> RegexSet::Lists::keep(std::span<const RegexId> list) {
  constexpr std::size_t kChunk = 4096;
  if (list.size() > free_.size()) {
    const std::size_t n = std::max(kChunk, list.size());
    chunks_.push_back(std::make_unique<RegexId[]>(n));
    free_ = {chunks_.back().get(), n};
  }
  const std::span<RegexId> kept = free_.first(list.size());
  std::ranges::copy(list, kept.begin());
  free_ = free_.subspan(list.size());
  return kept;
}

// A part after one that cannot be empty is not derived yet, so it does not count.
int RegexSet::nesting_of(const Node& of) const {
  int inside = 0;
  for (const RegexId part : of.parts) inside = std::max<int>(inside, node(part).nesting);
  if (of.kind == Kind::repeat || of.kind == Kind::negation || of.kind == Kind::concat)
    inside = node(of.a).nesting;
  const bool is_flat = of.kind == Kind::nothing || of.kind == Kind::empty || of.kind == Kind::tag ||
                       of.kind == Kind::bytes || of.kind == Kind::table;
  if (is_flat) return 0;
  const bool goes_on = of.kind == Kind::concat && node(of.a).nullable;
  return std::max<int>(inside + 1, goes_on ? node(of.b).nesting : 0);
}

// Copies the parts, which belong to the caller, if the node is new.
RegexId RegexSet::intern(Node node) {
  effort_.spend(1 + node.parts.size() / 8);
  std::uint64_t hash =
      mixed(static_cast<std::uint64_t>(node.kind), static_cast<std::uint32_t>(node.a));
  hash = mixed(mixed(hash, static_cast<std::uint32_t>(node.b)), static_cast<std::uint32_t>(node.c));
  for (const RegexId part : node.parts) hash = mixed(hash, static_cast<std::uint32_t>(part));
  hash ^= hash >> 32U;
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1))
    if (hashes_[index(slots_[at])] == hash && nodes_[index(slots_[at])] == node) return slots_[at];
  n_parts_ += node.parts.size();
  if (nodes_.size() >= max_nodes_ || n_parts_ / kPartsANode >= max_nodes_) throw FullRegexSet();
  const int nesting = nesting_of(node);
  if (nesting > kMaxNesting) throw ModelError("it is nested too deeply: simplify its patterns");
  node.nesting = static_cast<std::int16_t>(nesting);
  const auto id = static_cast<RegexId>(nodes_.size());
  node.is_live |=
      node.nullable || node.extent == Extent::infinite || node.extent == Extent::cofinite;
  liveness_.push_back(node.kind == Kind::nothing ? Liveness::dead
                      : node.is_live             ? Liveness::live
                                                 : Liveness::unknown);
  node.parts = lists_.keep(node.parts);
  nodes_.push_back(node);
  rows_.emplace_back();
  hashes_.push_back(hash);
  slots_[at] = id;
  if (2 * nodes_.size() > slots_.size()) grow_slots();
  return id;
}

void RegexSet::grow_slots() {
  slots_.assign(2 * slots_.size(), -1);
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    std::size_t at = hashes_[id] & (slots_.size() - 1);
    while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<RegexId>(id);
  }
}

std::int32_t RegexSet::set_id(const ByteSet& set) {
  const auto [found, is_new] = set_ids_.try_emplace(set, static_cast<std::int32_t>(sets_.size()));
  if (is_new) sets_.push_back(set);
  return found->second;
}

RegexId RegexSet::bytes(const ByteSet& set) {
  if (set.is_empty()) return kNothing;
  return intern({.kind = Kind::bytes, .extent = Extent::finite, .a = set_id(set)});
}

RegexId RegexSet::literal(std::string_view text) {
  RegexId all = kEmpty;
  for (std::size_t i = text.size(); i > 0; --i)
    all = concat(bytes(ByteSet::of(static_cast<std::uint8_t>(text[i - 1]))), all);
  return all;
}

RegexId RegexSet::tag(int number) {
  return intern({.kind = Kind::tag, .nullable = true, .extent = Extent::finite, .a = number});
}

std::int32_t RegexSet::Table::after(int state, std::uint8_t byte) const noexcept {
  const auto column = std::ranges::find_if(columns, [&](const auto& set) { return set.has(byte); });
  if (column == columns.end()) return -1;
  return next[index(state) * columns.size() + static_cast<std::size_t>(column - columns.begin())];
}

RegexId RegexSet::table(std::shared_ptr<const Table> table, int state) {
  const auto found = std::ranges::find(tables_, table, &KnownTable::table);
  const auto at = static_cast<std::int32_t>(found - tables_.begin());
  const bool accepts = table->accepts[index(state)];
  if (found == tables_.end()) {
    KnownTable known{std::move(table), {}};
    for (const ByteSet& column : known.table->columns) known.sets.push_back(set_id(column));
    tables_.push_back(std::move(known));
  }
  return intern({.kind = Kind::table, .nullable = accepts, .is_live = false, .a = at, .b = state});
}

bool RegexSet::all_are(std::span<const RegexId> parts, Extent extent) const {
  return std::ranges::all_of(parts, [&](RegexId id) { return node(id).extent == extent; });
}

bool RegexSet::any_is(std::span<const RegexId> parts, Extent extent) const {
  return std::ranges::any_of(parts, [&](RegexId id) { return node(id).extent == extent; });
}

RegexSet::Extent RegexSet::extent_of_chain(Extent first, Extent rest, bool is_live) {
  if (first == Extent::finite && rest == Extent::finite) return Extent::finite;
  const auto is_long = [](Extent e) { return e == Extent::infinite || e == Extent::cofinite; };
  return is_live && (is_long(first) || is_long(rest)) ? Extent::infinite : Extent::unknown;
}

// The first part of a chain is never a chain itself.
RegexId RegexSet::concat(RegexId a, RegexId b) {
  if (a == kNothing || b == kNothing) return kNothing;
  if (a == kEmpty) return b;
  std::vector<RegexId> heads;
  while (node(a).kind == Kind::concat) {
    heads.push_back(node(a).a);
    a = node(a).b;
  }
  heads.push_back(a);
  RegexId all = b;
  for (auto head = heads.rbegin(); head != heads.rend(); ++head) {
    if (*head == kEmpty) continue;
    const Node &first = node(*head), &rest = node(all);
    const bool is_live = first.is_live && rest.is_live;
    all = all == kEmpty ? *head
                        : intern({.kind = Kind::concat,
                                  .nullable = first.nullable && rest.nullable,
                                  .is_live = is_live,
                                  .extent = extent_of_chain(first.extent, rest.extent, is_live),
                                  .a = *head,
                                  .b = all});
  }
  return all;
}

RegexId RegexSet::concat(std::initializer_list<RegexId> parts) {
  RegexId all = kEmpty;
  for (const RegexId* part = parts.end(); part != parts.begin(); --part)
    all = concat(*(part - 1), all);
  return all;
}

void RegexSet::flatten(Kind kind, std::vector<RegexId>& parts) const {
  std::vector<RegexId> flat;
  for (const RegexId part : parts) {
    const Node& of = node(part);
    if (of.kind == kind)
      flat.insert(flat.end(), of.parts.begin(), of.parts.end());
    else
      flat.push_back(part);
  }
  std::ranges::sort(flat);
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  parts = std::move(flat);
}

// Joins several sets of bytes into one.
void RegexSet::join_sets(Kind kind, std::vector<RegexId>& parts) {
  const auto is_set = [this](RegexId id) { return node(id).kind == Kind::bytes; };
  if (std::ranges::count_if(parts, is_set) < 2) return;
  ByteSet joined = kind == Kind::either ? ByteSet() : ~ByteSet();
  for (const RegexId part : parts) {
    if (!is_set(part)) continue;
    const ByteSet& set = sets_[index(node(part).a)];
    joined = kind == Kind::either ? joined | set : joined & set;
  }
  std::erase_if(parts, is_set);
  parts.push_back(bytes(joined));
  std::ranges::sort(parts);
}

// The parts of an alternative, grouped by the bytes that they begin with.
struct RegexSet::Factoring {
  struct Split {
    RegexId head;
    RegexId tail;
  };
  std::vector<Split> splits;    // sorted by their heads
  std::size_t next = 0;         // index of the next split
  RegexId head = kNothing;      // of the tails that are being joined now
  std::vector<RegexId> others;  // parts without a head, and joined results

  // Takes the tails of the next head.
  std::vector<RegexId> take_tails() {
    std::vector<RegexId> tails;
    head = splits[next].head;
    for (; next < splits.size() && splits[next].head == head; ++next)
      tails.push_back(splits[next].tail);
    return tails;
  }
};

RegexSet::Factoring RegexSet::split_heads(const std::vector<RegexId>& parts) const {
  Factoring made;
  for (const RegexId part : parts) {
    const Node& of = node(part);
    if (of.kind == Kind::bytes)
      made.splits.push_back({part, kEmpty});
    else if (of.kind == Kind::concat && node(of.a).kind == Kind::bytes)
      made.splits.push_back({of.a, of.b});
    else
      made.others.push_back(part);
  }
  std::ranges::stable_sort(made.splits, {}, &Factoring::Split::head);
  return made;
}

// Returns nullopt if several parts remain.
std::optional<RegexId> RegexSet::simplify_either(std::vector<RegexId>& parts) {
  if (parts.size() == 2 && parts[0] == parts[1]) return parts[0];
  flatten(Kind::either, parts);
  std::erase(parts, kNothing);
  if (std::ranges::binary_search(parts, kAnything)) return kAnything;
  if (parts.size() > 1) join_sets(Kind::either, parts);
  if (parts.empty()) return kNothing;
  if (parts.size() == 1) return parts.front();
  return std::nullopt;
}

RegexId RegexSet::join_either(std::vector<RegexId> parts) {
  std::ranges::sort(parts);
  if (parts.size() == 1) return parts.front();
  const auto nullable = [this](RegexId id) { return node(id).nullable; };
  const auto live = [this](RegexId id) { return node(id).is_live; };
  return intern({.kind = Kind::either,
                 .nullable = std::ranges::any_of(parts, nullable),
                 .is_live = std::ranges::any_of(parts, live),
                 .extent = any_is(parts, Extent::cofinite)   ? Extent::cofinite
                           : any_is(parts, Extent::infinite) ? Extent::infinite
                           : all_are(parts, Extent::finite)  ? Extent::finite
                                                             : Extent::unknown,
                 .parts = parts});
}

// "ab" or "ac" becomes "a", then "b" or "c", so that derivations stay small. The tails are joined
// in the same way first. They may be as long as texts, so this keeps an explicit stack.
RegexId RegexSet::either(std::vector<RegexId> parts) {
  std::vector<Factoring> open;
  for (;;) {
    std::optional<RegexId> made = simplify_either(parts);
    if (!made) open.push_back(split_heads(parts));
    for (bool goes_down = false; !goes_down;) {
      if (open.empty()) return *made;
      Factoring& at = open.back();
      if (made) at.others.push_back(concat(at.head, *made));
      made.reset();
      if (at.next == at.splits.size()) {
        made = join_either(std::move(at.others));
        open.pop_back();
      } else {
        parts = at.take_tails();
        goes_down = true;
      }
    }
  }
}

RegexId RegexSet::both(std::vector<RegexId> parts) {
  flatten(Kind::both, parts);
  if (std::ranges::binary_search(parts, kNothing)) return kNothing;
  std::erase(parts, kAnything);
  join_sets(Kind::both, parts);
  const auto nullable = [this](RegexId id) { return node(id).nullable; };
  const bool all = std::ranges::all_of(parts, nullable);
  if (std::ranges::binary_search(parts, kEmpty)) return all ? kEmpty : kNothing;
  if (std::ranges::binary_search(parts, kNothing)) return kNothing;
  for (const RegexId part : parts)
    if (node(part).kind == Kind::negation && std::ranges::binary_search(parts, node(part).a))
      return kNothing;
  if (parts.empty()) return kAnything;
  if (parts.size() == 1) return parts.front();
  const auto cofinite = [this](RegexId id) { return node(id).extent == Extent::cofinite; };
  const auto n_others = std::ssize(parts) - std::ranges::count_if(parts, cofinite);
  return intern({.kind = Kind::both,
                 .nullable = all,
                 .is_live = false,
                 .extent = any_is(parts, Extent::finite) ? Extent::finite
                           : n_others == 0               ? Extent::cofinite
                           : n_others == 1 && any_is(parts, Extent::infinite)
                               ? Extent::infinite  // infinitely many, except for a few
                               : Extent::unknown,
                 .parts = parts});
}

RegexId RegexSet::negation(RegexId a) {
  const Node& of = node(a);
  if (of.kind == Kind::negation) return of.a;
  return intern({.kind = Kind::negation,
                 .nullable = !of.nullable,
                 .is_live = false,
                 .extent = of.extent == Extent::finite     ? Extent::cofinite
                           : of.extent == Extent::cofinite ? Extent::finite
                                                           : Extent::unknown,
                 .a = a});
}

RegexId RegexSet::repeat(RegexId a, int min, int max) {
  assert(min >= 0 && (max == kNoLimit || max >= min));
  if (a == kNothing) return min == 0 ? kEmpty : kNothing;
  if (a == kEmpty || max == 0) return kEmpty;
  const Node& of = node(a);
  if (of.nullable) min = 0;
  // An optional chain that may be empty stays a repetition. As a plain chain it would become part
  // of the chain around it, and rules that use each other twice would double it every time.
  if (max == 1 && (min == 1 || (of.nullable && of.kind != Kind::concat))) return a;
  const bool is_star = of.kind == Kind::repeat && of.b == 0 && of.c == kNoLimit;
  if (is_star || a == kAnything) return a;
  if (of.kind == Kind::repeat && of.b <= 1 && max == kNoLimit && min <= 1)
    return repeat(of.a, std::min<int>(min, of.b), kNoLimit);  // a++ is a+, and a+* is a*
  const bool is_long = of.extent == Extent::infinite || of.extent == Extent::cofinite;
  const bool goes_on = max == kNoLimit && of.is_live && !of.nullable;
  return intern({.kind = Kind::repeat,
                 .nullable = min == 0,
                 .is_live = of.is_live,
                 .extent = is_long || goes_on                               ? Extent::infinite
                           : of.extent == Extent::finite && max != kNoLimit ? Extent::finite
                                                                            : Extent::unknown,
                 .a = a,
                 .b = min,
                 .c = max});
}

std::vector<int> RegexSet::tags(RegexId state) const {
  std::vector<int> found;
  // Goes round by round, so that parts that several others share are visited once in each round.
  for (std::vector<RegexId> open{state}, next; !open.empty(); open = std::exchange(next, {})) {
    for (RegexId at : open) {
      while (node(at).nullable && node(at).kind == Kind::concat) at = node(at).b;
      const Node& of = node(at);
      if (!of.nullable) continue;
      if (of.kind == Kind::tag) found.push_back(of.a);
      if (of.kind == Kind::either) next.insert(next.end(), of.parts.begin(), of.parts.end());
    }
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace confab::engine
