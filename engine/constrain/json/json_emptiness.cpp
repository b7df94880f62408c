// SPDX-License-Identifier: MIT
// Finds out which sets of JSON values are empty.
#include <algorithm>

#include "engine/constrain/json/json_shape.h"
#include "engine/constrain/json/json_text.h"
#include "engine/constrain/json/temporarily.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxAsked = 20'000'000;

// Assigns items to kinds that may each have a limited number of items. Items are added one by one;
// if all their kinds are full, other items make room (Kuhn 1955).
class Placing {
 public:
  explicit Placing(const std::vector<ArrayShape::Contains>& kinds)
      : kinds_(kinds), placed_(kinds.size()), tried_(kinds.size()) {}

  // `may_be` lists the kinds that the item can be of, and must outlive the object. Returns false if
  // there is no room.
  bool put(const std::vector<std::size_t>& may_be) {
    tried_.assign(kinds_.size(), false);
    return find_place(may_be);
  }

 private:
  using Item = const std::vector<std::size_t>*;

  bool find_place(const std::vector<std::size_t>& may_be) {
    for (const std::size_t kind : may_be) {
      if (tried_[kind]) continue;
      tried_[kind] = true;
      std::vector<Item>& there = placed_[kind];
      if (static_cast<int>(there.size()) < kinds_[kind].max) {
        there.push_back(&may_be);
        return true;
      }
      const auto leaves = std::ranges::find_if(there, [&](Item one) { return find_place(*one); });
      if (leaves == there.end()) continue;
      *leaves = &may_be;
      return true;
    }
    return false;
  }

  const std::vector<ArrayShape::Contains>& kinds_;
  std::vector<std::vector<Item>> placed_;  // [kinds]
  std::vector<bool> tried_;
};

}  // namespace

std::vector<bool> ObjectShape::needed_names(const std::vector<bool>& seen) const {
  std::vector<bool> needed;
  for (const Named& one : named) needed.push_back(one.is_required);
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(find(name) - named.data());
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const Dependent& pair : dependent) {
      const std::size_t name = at(pair.name), other = at(pair.needed);
      if (needed[other] || !(needed[name] || (name < seen.size() && seen[name]))) continue;
      needed[other] = goes_on = true;
    }
  }
  return needed;
}

bool Shapes::is_never(ShapeId id) {
  bool depends = false;
  return find_never(id, depends);
}

// Sets `depends` if the answer holds only while another set is being asked about. Meanwhile that
// set counts as empty, so if a value is found, it exists in any case.
bool Shapes::find_never(ShapeId id, bool& depends) {
  Entry& of = entry(id);
  if (of.is_never) return *of.is_never;
  if (++n_asked_ > kMaxAsked) throw ModelError("is too large when it is worked out");
  // A set that is being computed may have values.
  n_guesses_ += of.is_open;
  if (of.is_asked || of.is_open) {
    depends = true;
    return !of.is_open;
  }
  const std::size_t n_guesses = n_guesses_;
  const Temporarily asked(of.is_asked, true);
  bool own = false, never = false;
  try {
    const Effort::Level level(effort());
    effort().spend(4);
    never = find_never(get(id), own);
  } catch (const EndlessReference&) {
    own = true;
    ++n_guesses_;
  } catch (const ModelError& fault) {
    rethrow_at(of.pointer, fault);
  }
  if (!never && n_guesses_ == n_guesses) own = false;
  if (!own) of.is_never = never;
  depends |= own;
  return never;
}

bool Shapes::find_never(const Shape& shape, bool& depends) {
  const bool has_text = shape.has_null || shape.has_true || shape.has_false ||
                        !regexes_.is_empty(shape.number) || !regexes_.is_empty(shape.string);
  const auto is_never = [&](const auto& one) { return find_never(one, depends); };
  return !has_text && std::ranges::all_of(shape.arrays, is_never) &&
         std::ranges::all_of(shape.objects, is_never);
}

bool Shapes::find_never(const ArrayShape& array, bool& depends) {
  for (const ArrayShape::Contains& contains : array.contains) {
    if (contains.min > 0 && !has_room_for(array, contains, depends)) return true;
    if (contains.max != RegexSet::kNoLimit && contains.min > contains.max) return true;
  }
  for (int i = 0; i < array.min; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool is_rest = at >= array.prefix.size();
    if (find_never(is_rest ? array.rest : array.prefix[at], depends)) return true;
    if (is_rest) break;
  }
  return !has_places(array, depends);
}

// Whether enough items of the array can be in `such`.
bool Shapes::has_room_for(const ArrayShape& array, const ArrayShape::Contains& such,
                          bool& depends) {
  const auto may_be = [&](ShapeId item) { return !find_never(both(item, such.value), depends); };
  const auto n_prefix = static_cast<int>(array.prefix.size());
  const bool is_limited = array.max != RegexSet::kNoLimit;
  int n = 0;
  for (int i = such.from; i < n_prefix && (!is_limited || i < array.max); ++i)
    n += may_be(array.prefix[static_cast<std::size_t>(i)]);
  if (n >= such.min || !may_be(array.rest)) return n >= such.min;
  return !is_limited || n + array.max - std::max(such.from, n_prefix) >= such.min;
}

// The indices of the `contains` that have a maximum, except the ones that are part of another one.
std::vector<std::size_t> Shapes::limited_kinds(const ArrayShape& array, bool& depends) {
  std::vector<std::size_t> kinds;
  for (std::size_t i = 0; i < array.contains.size(); ++i) {
    const ArrayShape::Contains& one = array.contains[i];
    const auto covers = [&](std::size_t k) {
      const ArrayShape::Contains& other = array.contains[k];
      return other.from <= one.from && other.max <= one.max &&
             find_never(both(one.value, negation(other.value)), depends);
    };
    if (one.max != RegexSet::kNoLimit && std::ranges::none_of(kinds, covers)) kinds.push_back(i);
  }
  return kinds;
}

// The kinds that the item at an index can be of, or nullopt if it can be outside all of them.
std::optional<std::vector<std::size_t>> Shapes::kinds_at(const ArrayShape& array,
                                                         std::vector<std::size_t> kinds,
                                                         std::size_t at, bool& depends) {
  const ShapeId item = at < array.prefix.size() ? array.prefix[at] : array.rest;
  ShapeId outside = item;
  std::erase_if(kinds, [&](std::size_t i) {
    const ArrayShape::Contains& one = array.contains[i];
    if (one.from > static_cast<int>(at)) return true;
    outside = both(outside, negation(one.value));
    return find_never(both(item, one.value), depends);
  });
  if (!find_never(outside, depends)) return std::nullopt;
  return kinds;
}

// Whether the minimum number of items fits into the limited kinds.
bool Shapes::has_places(const ArrayShape& array, bool& depends) {
  constexpr int kMost = 10'000;  // items beyond this number are not checked
  const std::vector<std::size_t> limited = limited_kinds(array, depends);
  if (limited.empty()) return true;
  const auto n_prefix = static_cast<int>(array.prefix.size());
  Placing placing(array.contains);
  std::vector<std::optional<std::vector<std::size_t>>> kinds;  // items after the prefix are alike
  kinds.reserve(array.prefix.size() + 1);
  for (int i = 0; i < std::min(array.min, kMost); ++i) {
    if (i <= n_prefix)
      kinds.push_back(kinds_at(array, limited, static_cast<std::size_t>(i), depends));
    const auto& of_item = kinds[static_cast<std::size_t>(std::min(i, n_prefix))];
    if (of_item && !placing.put(*of_item)) return false;
    if (!of_item && i >= n_prefix) break;
  }
  return true;
}

bool Shapes::find_never(const ObjectShape& object, bool& depends) {
  const std::vector<bool> needed = object.needed_names({});
  int n_possible = 0;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const bool may = may_come(object, i, depends);
    if (needed[i] && !may) return true;
    n_possible += may;
  }
  const bool has_others = std::ranges::any_of(
      object.others, [&](const auto& others) { return !find_never(others.value, depends); });
  for (const RegexId keys : object.some)
    if (!may_have(object, keys, depends)) return true;
  if (n_possible < object.min && !has_others) return true;
  if (object.max == RegexSet::kNoLimit) return false;
  const std::vector<bool> nothing(object.named.size() + object.some.size());
  return object.min > object.max || !has_room(object, nothing, 0, depends);
}

// Whether there is room for the names that are present or needed, and for keys of each `some` that
// none of these names satisfies.
bool Shapes::has_room(const ObjectShape& object, const std::vector<bool>& seen, int n_others,
                      bool& depends) {
  const std::vector<bool> needed = object.needed_names(seen);
  std::ptrdiff_t n = n_others;
  for (std::size_t i = 0; i < needed.size(); ++i) n += seen[i] || needed[i];
  std::vector<RegexId> missing;
  for (std::size_t j = 0; j < object.some.size(); ++j) {
    bool is_there = seen[needed.size() + j];
    for (std::size_t i = 0; i < needed.size(); ++i)
      is_there = is_there || (needed[i] && has(object.some[j], object.named[i].name));
    if (!is_there) missing.push_back(object.some[j]);
  }
  const auto others = fewest_keys(object, missing, depends);
  return others && n + std::ssize(*others) <= object.max;
}

// Covers `some` with the fewest groups of languages that have a key in common. Tries all subsets.
std::optional<std::vector<RegexId>> Shapes::fewest_keys(const ObjectShape& object,
                                                        const std::vector<RegexId>& some,
                                                        bool& depends) {
  constexpr std::size_t kMost = 6;  // with more, one key for each
  if (some.size() > kMost) return some;
  struct Best {
    std::size_t n = kMost + 1;
    std::size_t last = 0;  // the group that was added last
  };
  const std::size_t n_sets = std::size_t{1} << some.size();
  std::vector<RegexId> groups(n_sets, RegexSet::kNothing);
  std::vector<Best> best(n_sets);
  best[0].n = 0;
  for (std::size_t set = 1; set < n_sets; ++set) {
    std::vector<RegexId> all;
    for (std::size_t i = 0; i < some.size(); ++i)
      if ((set >> i & 1U) != 0) all.push_back(some[i]);
    const RegexId group = regexes_.both(std::move(all));
    if (may_have_alone(object, group, depends)) groups[set] = group;
    for (std::size_t part = set; part != 0; part = (part - 1) & set)
      if (groups[part] != RegexSet::kNothing && best[set ^ part].n + 1 < best[set].n)
        best[set] = {best[set ^ part].n + 1, part};
  }
  if (best.back().n > kMost) return std::nullopt;
  std::vector<RegexId> keys;
  for (std::size_t set = n_sets - 1; set != 0; set ^= best[set].last)
    keys.push_back(groups[best[set].last]);
  return keys;
}

// Whether an object can have one of these keys without needing another key.
bool Shapes::may_have_alone(const ObjectShape& object, RegexId keys, bool& depends) {
  std::vector<RegexId> needing{RegexSet::kNothing};
  for (const ObjectShape::Dependent& pair : object.dependent)
    needing.push_back(string_literal(regexes_, pair.name));
  return may_have(object, regexes_.both({keys, regexes_.negation(regexes_.either(needing))}),
                  depends);
}

bool Shapes::may_come(const ObjectShape& object, std::size_t name, bool& depends) {
  if (object.dependent.empty()) return !find_never(object.named[name].value, depends);
  std::vector<bool> there(object.named.size());
  there[name] = true;
  const std::vector<bool> needed = object.needed_names(there);
  for (std::size_t i = 0; i < needed.size(); ++i) there[i] = there[i] || needed[i];
  if (object.max != RegexSet::kNoLimit && std::ranges::count(there, true) > object.max)
    return false;
  for (std::size_t i = 0; i < there.size(); ++i)
    if (there[i] && find_never(object.named[i].value, depends)) return false;
  return true;
}

// Whether an object can have one of these keys.
bool Shapes::may_have(const ObjectShape& object, RegexId keys, bool& depends) {
  std::vector<RegexId> names{RegexSet::kNothing};
  for (std::size_t i = 0; i < object.named.size(); ++i) {
    const std::string& name = object.named[i].name;
    names.push_back(string_literal(regexes_, name));
    if (has(keys, name) && may_come(object, i, depends)) return true;
  }
  const RegexId others = regexes_.both({keys, regexes_.negation(regexes_.either(names))});
  return std::ranges::any_of(object.others, [&](const ObjectShape::Others& kind) {
    return !regexes_.is_empty(regexes_.both({kind.keys, others})) &&
           !find_never(kind.value, depends);
  });
}

bool Shapes::may_come(const ObjectShape& object, std::size_t name) {
  bool depends = false;
  return may_come(object, name, depends);
}

std::optional<std::vector<RegexId>> Shapes::fewest_keys(const ObjectShape& object,
                                                        const std::vector<RegexId>& some) {
  bool depends = false;
  return fewest_keys(object, some, depends);
}

bool Shapes::has_room(const ObjectShape& object, const std::vector<bool>& seen, int n_others) {
  bool depends = false;
  return has_room(object, seen, n_others, depends);
}

bool Shapes::is_never(const Shape& shape) {
  bool depends = false;
  return find_never(shape, depends);
}

bool Shapes::is_never(const ArrayShape& array) {
  bool depends = false;
  return find_never(array, depends);
}

bool Shapes::is_never(const ObjectShape& object) {
  bool depends = false;
  return find_never(object, depends);
}

}  // namespace confab::engine
