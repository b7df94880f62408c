// SPDX-License-Identifier: MIT
// What the keywords of a JSON Schema say, as sets of values.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/constrain/json/json_schema.h"
#include "engine/constrain/json/json_shape.h"
#include "engine/constrain/json/schema_document.h"

namespace confab::engine {

// What of it matters; the rest is not kept.
struct Tracked {
  bool properties = false;
  bool items = false;

  explicit operator bool() const noexcept { return properties || items; }
  auto operator<=>(const Tracked&) const = default;
};

// Which properties and items of a value the keywords of a schema have looked at: those that
// "unevaluatedProperties" and "unevaluatedItems" leave alone (draft 2020-12, section 11).
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

// The values that are valid under a schema, in parts of which the same has been evaluated.
//
// A value may be in several parts. It has been evaluated then as these say together, which is a
// part as well where it is more than one of them says: so what is not evaluated may be limited part
// by part.
struct Alternative {
  Shape shape;
  Evaluated evaluated = {};
};
using Alternatives = std::vector<Alternative>;  // none: no value

// A part that is evaluated like one that is there becomes one with it. Throws ModelError when there
// are too many.
void unite(Shapes& shapes, Alternatives& to, Alternative one);
void unite(Shapes& shapes, Alternatives& to, Alternatives more);
// What is in both.
void intersect(Shapes& shapes, Alternatives& alternatives, const Alternatives& by);
// What is in one of the branches or in several, of which each has been evaluated.
Alternatives some_of(Shapes& shapes, const std::vector<Alternatives>& branches);
// All values, whatever has been evaluated.
Shape whole(Shapes& shapes, Alternatives alternatives);

class SchemaReader {
 public:
  // Both must outlive the object and what is worked out of its shapes.
  SchemaReader(const SchemaDocument& document, Shapes& shapes, Formats formats);

  // What a schema of the document allows, worked out later.
  ShapeId schema(const SchemaNode& node);
  // Works out all that can be reached. Throws ModelError, with the place, for what cannot be
  // honoured.
  void check(ShapeId root);

 private:
  void check(const ObjectShape& object) const;
  // What the keywords of a node say together; faults get its place.
  Alternatives read(const SchemaNode& node, Tracked tracked);
  Alternatives read_keywords(const SchemaNode& node, Tracked tracked);
  // A schema that is about the same value as the one that it stands in.
  Alternatives read_in_place(const SchemaNode& node, Tracked tracked);
  Alternatives of(ShapeId id) { return {{shapes_.get(id)}}; }
  void narrow(Shape& shape, const Shape& by) { shape = shapes_.intersect(shape, by); }
  Evaluated evaluated_by(const SchemaNode& node, Tracked tracked);
  void narrow_unevaluated(const SchemaNode& node, Alternatives& all);
  // Each takes what its keywords say of the values.
  void read_references(const SchemaNode& node, Tracked tracked, Alternatives& all);
  void read_combinations(const SchemaNode& node, Tracked tracked, Alternatives& all);
  void read_dependencies(const SchemaNode& node, Tracked tracked, Alternatives& all);
  Alternatives any_of(const SchemaNode& list, Tracked tracked);
  Alternatives one_of(const SchemaNode& list, Tracked tracked);
  Alternatives if_then_else(const SchemaNode& node, Tracked tracked);
  void read_types(const SchemaNode& node, Shape& shape);
  void read_values(const SchemaNode& node, Shape& shape);
  void read_numbers(const SchemaNode& node, Shape& shape);
  void read_strings(const SchemaNode& node, Shape& shape);
  void read_arrays(const SchemaNode& node, Shape& shape);
  void read_objects(const SchemaNode& node, Shape& shape);
  void read_types_and_limits(const SchemaNode& node, Shape& shape);
  void refuse_unknown(const SchemaNode& node) const;
  void read_unique(const SchemaNode& node, ArrayShape& array);
  std::optional<std::vector<Shape>> values_of(const SchemaNode& node, int depth);
  Shape literal(const SchemaNode& value);
  // Parts of objects.
  void read_named(const SchemaNode& node, ObjectShape& object);
  void read_others(const SchemaNode& node, ObjectShape& object);
  void read_names(const SchemaNode& node, ObjectShape& object);
  void read_required(const SchemaNode& node, ObjectShape& object);
  // The value of a keyword that the draft has; nullptr where there is none.
  const SchemaNode* find(const SchemaNode& node, const char* key) const {
    return document_.knows(key) ? node.find(key) : nullptr;
  }
  bool has(const SchemaNode& node, const char* key) const { return find(node, key) != nullptr; }
  bool has(const SchemaNode& node, std::initializer_list<const char*> keys) const {
    return std::ranges::any_of(keys, [&](const char* key) { return has(node, key); });
  }
  // The value of a keyword, nullptr where it is not there. Throws ModelError for another type.
  const SchemaNode* object_at(const SchemaNode& node, const char* key) const;
  const SchemaNode* list_at(const SchemaNode& node, const char* key) const;
  int count_at(const SchemaNode& node, const char* key, int otherwise) const;
  std::vector<std::string> names_in(const SchemaNode& list, const char* key) const;

  const SchemaDocument& document_;
  Shapes& shapes_;
  Formats formats_;
  DynamicScopes scopes_;
  DynamicScopes::Id scope_ = DynamicScopes::kOutermost;  // of what is being read
  using Place = std::pair<const SchemaNode*, DynamicScopes::Id>;
  std::map<Place, ShapeId> known_;
  std::map<std::pair<Place, Tracked>, Alternatives> in_place_;
  std::map<Place, bool> open_;  // of these, what is being read
};

}  // namespace confab::engine
