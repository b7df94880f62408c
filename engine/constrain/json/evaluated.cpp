// SPDX-License-Identifier: MIT
#include "engine/constrain/json/evaluated.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace confab::engine {

void Evaluated::add(const Evaluated& other) {
  all_properties |= other.all_properties;
  all_items |= other.all_items;
  names.insert(other.names.begin(), other.names.end());
  keys.insert(other.keys.begin(), other.keys.end());
  contained.insert(other.contained.begin(), other.contained.end());
  n_items = std::max(n_items, other.n_items);
  keep({true, true});
}

void Evaluated::keep(const Tracked& tracked) {
  all_properties &= tracked.properties;
  all_items &= tracked.items;
  if (!tracked.properties || all_properties) {
    names.clear();
    keys.clear();
  }
  if (!tracked.items || all_items) {
    contained.clear();
    n_items = 0;
  }
}

bool Evaluated::covers(const Evaluated& other) const {
  Evaluated together = *this;
  together.add(other);
  return together == *this;
}

Shape unevaluated_properties(Shapes& shapes, const Evaluated& evaluated, ShapeId value) {
  Shape limit = shapes.any();
  if (evaluated.all_properties || value == Shapes::kAny) return limit;
  RegexSet& regexes = shapes.regexes();
  ObjectShape object;
  for (const std::string& name : evaluated.names) object.named.push_back({name, Shapes::kAny});
  const RegexId every_key = shapes.any_object().others.front().keys;
  const RegexId keys = regexes.either({evaluated.keys.begin(), evaluated.keys.end()});
  const RegexId known = regexes.both({every_key, keys});
  if (!regexes.is_empty(known)) object.others.push_back({known, Shapes::kAny});
  const RegexId rest =
      evaluated.keys.empty() ? every_key : regexes.both({every_key, regexes.negation(keys)});
  if (value != Shapes::kNever && !regexes.is_empty(rest)) object.others.push_back({rest, value});
  limit.objects = {std::move(object)};
  return limit;
}

Shape unevaluated_items(Shapes& shapes, const Evaluated& evaluated, ShapeId value) {
  Shape limit = shapes.any();
  if (evaluated.all_items) return limit;
  std::vector<ShapeId> allowed{evaluated.contained.begin(), evaluated.contained.end()};
  allowed.push_back(value);
  ArrayShape array{.rest = shapes.either(std::move(allowed))};
  array.prefix.assign(evaluated.n_items, Shapes::kAny);
  limit.arrays = {std::move(array)};
  return limit;
}

}  // namespace confab::engine
