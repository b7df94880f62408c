// SPDX-License-Identifier: MIT
// What is not in a set of JSON values.
#include <utility>

#include "engine/constrain/json/json_number.h"
#include "engine/constrain/json/json_shape.h"
#include "engine/constrain/json/json_text.h"
#include "engine/error.h"

namespace confab::engine {

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

// Arrays that break one of the rules; which of them, or several, does not matter.
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

// The keys that no object of these has. What is said of the values of keys without a name must be
// nothing: of a key that comes twice the last value counts, so that none can be said to be there.
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
