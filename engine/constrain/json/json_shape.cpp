// SPDX-License-Identifier: MIT
#include "engine/constrain/json/json_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/constrain/json/json_number.h"
#include "engine/constrain/json/json_text.h"
#include "engine/constrain/json/temporarily.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxShapes = 200'000;
constexpr std::size_t kMaxAlternatives = 128;

template <class Part>
void add_new(std::vector<Part>& parts, Part part) {
  if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
}

// Narrows a range to its intersection with another one. Returns false if it becomes empty.
bool narrow(int& min, int& max, int other_min, int other_max) {
  min = std::max(min, other_min);
  if (max == RegexSet::kNoLimit || (other_max != RegexSet::kNoLimit && other_max < max))
    max = other_max;
  return max == RegexSet::kNoLimit || min <= max;
}

}  // namespace

void rethrow_at(std::string_view pointer, const ModelError& fault) {
  const std::string what = fault.what();
  if (what.starts_with("schema")) throw;
  const std::string whole = pointer.empty()
                                ? fmt::format("schema: {}", what)
                                : fmt::format("schema: at {}: {}", printable(pointer), what);
  if (dynamic_cast<const EndlessReference*>(&fault) != nullptr) throw EndlessReference(whole);
  throw ModelError(whole);
}

const ObjectShape::Named* ObjectShape::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(named, name, &Named::name);
  return found == named.end() ? nullptr : &*found;
}

std::size_t Shape::n_parts() const noexcept {
  std::size_t n = 1;
  for (const ArrayShape& array : arrays) n += 1 + array.prefix.size() + array.contains.size();
  for (const ObjectShape& object : objects)
    n += 1 + object.named.size() + object.others.size() + object.some.size() +
         object.dependent.size();
  return n;
}

Shapes::Shapes(RegexSet& regexes) : regexes_(regexes) {
  Shape any{.has_null = true,
            .has_true = true,
            .has_false = true,
            .number = any_number(regexes),
            .string = any_string(regexes)};
  any.arrays.push_back({.rest = kAny});
  ObjectShape object;
  object.others.push_back({plain_string(regexes), kAny});
  any.objects.push_back(std::move(object));
  add(std::move(any));
  add({});
  entry(kAny).is_never = false;
}

ShapeId Shapes::add(Shape shape) {
  if (entries_.size() >= kMaxShapes) throw ModelError("is too large when it is worked out");
  entries_.push_back(std::make_unique<Entry>());
  entries_.back()->shape = std::move(shape);
  return static_cast<ShapeId>(entries_.size() - 1);
}

ShapeId Shapes::later(std::function<Shape()> make) {
  if (entries_.size() >= kMaxShapes) throw ModelError("is too large when it is worked out");
  entries_.push_back(std::make_unique<Entry>());
  entries_.back()->make = std::move(make);
  entries_.back()->pointer = pointer_;
  return static_cast<ShapeId>(entries_.size() - 1);
}

const Shape& Shapes::get(ShapeId id) {
  Entry& of = entry(id);
  if (of.shape) return *of.shape;
  if (of.is_open) throw EndlessReference("refers to itself without an end");
  const Temporarily open(of.is_open, true);
  const Temporarily here(pointer_, of.pointer);
  try {
    const Effort::Level level(effort());
    of.shape = of.make();
  } catch (const ModelError& fault) {
    rethrow_at(of.pointer, fault);
  }
  of.make = {};
  return *of.shape;
}

ShapeId Shapes::both(ShapeId a, ShapeId b) {
  if (a > b) std::swap(a, b);
  if (a == kAny || a == b) return b;
  if (a == kNever) return kNever;
  const auto [at, is_new] = both_.try_emplace({a, b}, kNever);
  if (is_new) at->second = later([this, a, b] { return intersect(get(a), get(b)); });
  return at->second;
}

ShapeId Shapes::either(std::vector<ShapeId> of) {
  std::erase(of, kNever);
  if (std::ranges::find(of, kAny) != of.end()) return kAny;
  if (of.empty()) return kNever;
  if (of.size() == 1) return of.front();
  return later([this, of = std::move(of)] {
    Shape all;
    for (const ShapeId one : of) all = unite(all, get(one));
    return all;
  });
}

ShapeId Shapes::negation(ShapeId a) {
  if (a == kAny || a == kNever) return a == kAny ? kNever : kAny;
  const auto [at, is_new] = negations_.try_emplace(a, kNever);
  if (is_new) at->second = later([this, a] { return complement(get(a)); });
  return at->second;
}

// Returns kNothing if the language is empty. Multiples of many numbers at once would need a counter
// for each.
RegexId Shapes::explored(RegexId numbers) {
  if (!regexes_.can_be_explored(numbers))
    throw ModelError(
        "multipleOf and other limits of numbers come to too many cases together, which cannot be "
        "honoured");
  return regexes_.is_empty(numbers) ? RegexSet::kNothing : numbers;
}

Shape Shapes::intersect(const Shape& a, const Shape& b) {
  effort().spend(a.n_parts() + b.n_parts());
  const RegexId all_numbers = any().number, all_strings = any().string;
  const auto numbers = [&](RegexId x, RegexId y) {
    if (x == all_numbers || y == all_numbers || x == y) return x == all_numbers ? y : x;
    return explored(regexes_.both({x, y}));
  };
  const auto strings = [&](RegexId x, RegexId y) {
    if (x == all_strings || y == all_strings) return x == all_strings ? y : x;
    const RegexId common = regexes_.both({x, y});
    return regexes_.is_empty(common) ? RegexSet::kNothing : common;
  };
  Shape common{.has_null = a.has_null && b.has_null,
               .has_true = a.has_true && b.has_true,
               .has_false = a.has_false && b.has_false,
               .number = numbers(a.number, b.number),
               .string = strings(a.string, b.string)};
  common.arrays = intersect(a.arrays, b.arrays);
  common.objects = intersect(a.objects, b.objects);
  return common;
}

std::vector<ArrayShape> Shapes::intersect(const std::vector<ArrayShape>& a,
                                          const std::vector<ArrayShape>& b) {
  std::vector<ArrayShape> common;
  for (const ArrayShape& x : a)
    for (const ArrayShape& y : b)
      if (auto both = intersect(x, y)) add_alternative(common, std::move(*both));
  return common;
}

std::vector<ObjectShape> Shapes::intersect(const std::vector<ObjectShape>& a,
                                           const std::vector<ObjectShape>& b) {
  std::vector<ObjectShape> common;
  for (const ObjectShape& x : a)
    for (const ObjectShape& y : b)
      if (auto both = intersect(x, y)) add_alternative(common, std::move(*both));
  return common;
}

// If there are too many alternatives, empty ones are dropped.
template <class Part>
void Shapes::add_alternative(std::vector<Part>& alternatives, Part part) {
  add_new(alternatives, std::move(part));
  if (alternatives.size() <= kMaxAlternatives) return;
  std::erase_if(alternatives, [this](const Part& one) { return is_never(one); });
  if (alternatives.size() > kMaxAlternatives) throw ModelError("has too many alternatives");
}

std::optional<ArrayShape> Shapes::intersect(const ArrayShape& a, const ArrayShape& b) {
  if (a == any_array()) return b;
  if (b == any_array()) return a;
  ArrayShape common{.rest = both(a.rest, b.rest), .min = a.min, .max = a.max};
  if (!narrow(common.min, common.max, b.min, b.max)) return std::nullopt;
  const auto item = [](const ArrayShape& of, std::size_t i) {
    return i < of.prefix.size() ? of.prefix[i] : of.rest;
  };
  for (std::size_t i = 0; i < std::max(a.prefix.size(), b.prefix.size()); ++i)
    common.prefix.push_back(both(item(a, i), item(b, i)));
  common.contains = a.contains;
  for (const auto& one : b.contains) add_new(common.contains, one);
  return common;
}

ShapeId Shapes::value_of(const ObjectShape& object, std::string_view name) {
  if (const auto* named = object.find(name)) return named->value;
  for (const ObjectShape::Others& others : object.others)
    if (others.value == kAny && object.others.size() == 1 &&
        others.keys == any_object().others[0].keys)
      return kAny;
  for (const ObjectShape::Others& others : object.others)
    if (has(others.keys, name)) return others.value;
  return kNever;
}

std::optional<ObjectShape> Shapes::intersect(const ObjectShape& a, const ObjectShape& b) {
  if (a == any_object()) return b;
  if (b == any_object()) return a;
  effort().spend(a.named.size() * b.named.size() / 16);  // for comparing names
  ObjectShape common{.min = a.min, .max = a.max};
  if (!narrow(common.min, common.max, b.min, b.max)) return std::nullopt;
  for (const ObjectShape::Named& of_a : a.named) {
    const ObjectShape::Named* of_b = b.find(of_a.name);
    const ShapeId value = of_b ? of_b->value : value_of(b, of_a.name);
    common.named.push_back(
        {of_a.name, both(of_a.value, value), of_a.is_required || (of_b && of_b->is_required)});
  }
  for (const ObjectShape::Named& of_b : b.named)
    if (!a.find(of_b.name))
      common.named.push_back(
          {of_b.name, both(value_of(a, of_b.name), of_b.value), of_b.is_required});
  const RegexId every_key = any_object().others[0].keys;
  for (const ObjectShape::Others& x : a.others)
    for (const ObjectShape::Others& y : b.others) {
      const RegexId keys = x.keys == every_key   ? y.keys
                           : y.keys == every_key ? x.keys
                                                 : regexes_.both({x.keys, y.keys});
      const ShapeId value = both(x.value, y.value);
      if (value != kNever && !regexes_.is_empty(keys)) common.others.push_back({keys, value});
    }
  common.some = a.some;
  for (const RegexId keys : b.some) add_new(common.some, keys);
  common.dependent = a.dependent;
  for (const auto& one : b.dependent) add_new(common.dependent, one);
  return common;
}

Shape Shapes::unite(const Shape& a, const Shape& b) {
  effort().spend(a.n_parts() + b.n_parts());
  Shape all = a;
  all.has_null |= b.has_null;
  all.has_true |= b.has_true;
  all.has_false |= b.has_false;
  const RegexId numbers = any().number, strings = any().string;
  all.number =
      a.number == numbers || b.number == numbers ? numbers : regexes_.either({a.number, b.number});
  all.string =
      a.string == strings || b.string == strings ? strings : regexes_.either({a.string, b.string});
  for (const ArrayShape& one : b.arrays) add_alternative(all.arrays, one);
  for (const ObjectShape& one : b.objects) add_alternative(all.objects, one);
  if (std::ranges::find(all.arrays, any_array()) != all.arrays.end()) all.arrays = {any_array()};
  if (std::ranges::find(all.objects, any_object()) != all.objects.end())
    all.objects = {any_object()};
  return all;
}

bool Shapes::has(RegexId keys, std::string_view name) {
  return !regexes_.is_empty(regexes_.both({string_literal(regexes_, name), keys}));
}

Shape Shapes::complement(const Shape& of) {
  const auto rest = [this](RegexId text, RegexId all, RegexId plain) {
    if (text == RegexSet::kNothing) return all;
    if (text == all) return RegexSet::kNothing;
    return regexes_.both({plain, regexes_.negation(text)});
  };
  const RegexId strings = rest(of.string, any().string, plain_string(regexes_));
  Shape others{.has_null = !of.has_null,
               .has_true = !of.has_true,
               .has_false = !of.has_false,
               .number = explored(rest(of.number, any().number, plain_number(regexes_))),
               .string = regexes_.is_empty(strings) ? RegexSet::kNothing : strings};
  others.arrays = {any_array()};
  for (const ArrayShape& one : of.arrays) others.arrays = intersect(others.arrays, complement(one));
  others.objects = {any_object()};
  for (const ObjectShape& one : of.objects)
    others.objects = intersect(others.objects, complement(one));
  return others;
}

// Arrays that break at least one of the rules. The alternatives may overlap.
std::vector<ArrayShape> Shapes::complement(const ArrayShape& of) {
  std::vector<ArrayShape> broken;
  ArrayShape one{.rest = kAny};
  if (of.min > 0) {
    one.max = of.min - 1;
    broken.push_back(one);
  }
  if (of.max != RegexSet::kNoLimit) broken.push_back({.rest = kAny, .min = of.max + 1});
  for (std::size_t i = 0; i < of.prefix.size(); ++i) {
    if (of.prefix[i] == kAny) continue;
    ArrayShape at_i{.rest = kAny, .min = static_cast<int>(i) + 1};
    at_i.prefix.assign(i, kAny);
    at_i.prefix.push_back(negation(of.prefix[i]));
    broken.push_back(std::move(at_i));
  }
  const auto n_prefix = static_cast<int>(of.prefix.size());
  if (of.rest == kNever) {
    broken.push_back({.rest = kAny, .min = n_prefix + 1});
  } else if (of.rest != kAny) {
    const ArrayShape::Contains other{negation(of.rest), 1, RegexSet::kNoLimit, n_prefix};
    broken.push_back({.rest = kAny, .contains = {other}});
  }
  for (const ArrayShape::Contains& contains : of.contains) {
    const auto& [value, min, max, from] = contains;
    if (min > 0) broken.push_back({.rest = kAny, .contains = {{value, 0, min - 1, from}}});
    if (max != RegexSet::kNoLimit)
      broken.push_back({.rest = kAny, .contains = {{value, max + 1, RegexSet::kNoLimit, from}}});
  }
  return broken;
}

std::vector<ObjectShape> Shapes::complement(const ObjectShape& of) {
  std::vector<ObjectShape> broken;
  const auto with = [&](std::vector<ObjectShape::Named> named) {
    ObjectShape one = any_object();
    one.named = std::move(named);
    broken.push_back(std::move(one));
  };
  for (const ObjectShape::Named& named : of.named) {
    if (named.is_required) with({{named.name, kNever}});
    if (named.value != kAny) with({{named.name, negation(named.value), true}});
  }
  for (const ObjectShape::Dependent& pair : of.dependent)
    with({{pair.name, kAny, true}, {pair.needed, kNever}});
  ObjectShape one = any_object();
  if (of.min > 0) {
    one.max = of.min - 1;
    broken.push_back(one);
  }
  if (of.max != RegexSet::kNoLimit) {
    one = any_object();
    one.min = of.max + 1;
    broken.push_back(one);
  }
  const RegexId every_key = any_object().others[0].keys;
  for (const RegexId keys : of.some) {
    one = any_object();
    one.others[0].keys = regexes_.both({every_key, regexes_.negation(keys)});
    broken.push_back(one);
  }
  if (of.others != any_object().others) {
    one = any_object();
    one.some.push_back(keys_outside(of));
    if (!regexes_.is_empty(one.some[0])) broken.push_back(one);
  }
  return broken;
}

// The keys that objects of this shape cannot have. The shape must not limit the values of unnamed
// keys: if a key comes twice, its last value counts, so no value can be guaranteed to stay.
RegexId Shapes::keys_outside(const ObjectShape& of) {
  std::vector<RegexId> allowed;
  for (const ObjectShape::Named& named : of.named)
    allowed.push_back(string_literal(regexes_, named.name));
  for (const ObjectShape::Others& kind : of.others) {
    if (kind.value != kAny)
      throw ModelError(
          "not, oneOf or if excludes objects by values of keys without a name, which cannot be "
          "honoured");
    allowed.push_back(kind.keys);
  }
  return regexes_.both(
      {any_object().others[0].keys, regexes_.negation(regexes_.either(std::move(allowed)))});
}

}  // namespace confab::engine
