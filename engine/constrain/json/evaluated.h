// SPDX-License-Identifier: MIT
// Which properties and items of a value the keywords of a schema have looked at: those that
// "unevaluatedProperties" and "unevaluatedItems" leave alone (draft 2020-12, section 11).
#pragma once

#include <set>
#include <string>

#include "engine/constrain/json/json_shape.h"

namespace confab::engine {

// What of it matters; the rest is not kept.
struct Tracked {
  bool properties = false;
  bool items = false;

  explicit operator bool() const noexcept { return properties || items; }
  auto operator<=>(const Tracked&) const = default;
};

struct Evaluated {
  bool all_properties = false;
  std::set<std::string> names = {};
  std::set<RegexId> keys = {};  // those that are in one of these languages
  bool all_items = false;
  std::size_t n_items = 0;           // the first ones
  std::set<ShapeId> contained = {};  // and those that are in one of these sets

  bool operator==(const Evaluated&) const = default;
  std::size_t size() const noexcept { return names.size() + keys.size() + contained.size(); }
  void add(const Evaluated& other);
  void keep(const Tracked& tracked);
  // Whether all that the other one has is here.
  bool covers(const Evaluated& other) const;
};

// The objects, or arrays, of which all that has not been evaluated is in `value`. Other types are
// in it as well.
Shape unevaluated_properties(Shapes& shapes, const Evaluated& evaluated, ShapeId value);
Shape unevaluated_items(Shapes& shapes, const Evaluated& evaluated, ShapeId value);

}  // namespace confab::engine
