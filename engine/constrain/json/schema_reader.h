// SPDX-License-Identifier: MIT
// Turns the keywords of a JSON Schema into sets of values.
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

// Whether evaluated properties and items are tracked. Without tracking they are dropped.
struct Tracked {
  bool properties = false;
  bool items = false;

  explicit operator bool() const noexcept { return properties || items; }
  auto operator<=>(const Tracked&) const = default;
};

// The properties and items of a value that the keywords of a schema have evaluated.
// "unevaluatedProperties" and "unevaluatedItems" do not apply to them (draft 2020-12, section 11).
struct Evaluated {
  bool all_properties = false;
  std::set<std::string> names = {};
  std::set<RegexId> keys = {};  // keys in one of these languages
  bool all_items = false;
  std::size_t n_items = 0;           // the first items
  std::set<ShapeId> contained = {};  // items in one of these sets

  bool operator==(const Evaluated&) const = default;
  std::size_t size() const noexcept { return names.size() + keys.size() + contained.size(); }
  void add(const Evaluated& other);
  void keep(const Tracked& tracked);
  // Whether this has everything that `other` has.
  bool covers(const Evaluated& other) const;
};

// The objects, or arrays, whose unevaluated properties or items are all in `value`, and all values
// of other types.
Shape unevaluated_properties(Shapes& shapes, const Evaluated& evaluated, ShapeId value);
Shape unevaluated_items(Shapes& shapes, const Evaluated& evaluated, ShapeId value);

// A part of the values that are valid under a schema, in which the same properties and items have
// been evaluated.
//
// A value may be in several parts; then it has been evaluated as all of them say together. If that
// is more than each of them says, their overlap is a part as well. So unevaluated properties and
// items can be limited part by part.
struct Alternative {
  Shape shape;
  Evaluated evaluated = {};
};
using Alternatives = std::vector<Alternative>;  // empty if no value is valid

// Adds a part. It is merged with an existing part if the same has been evaluated in both. Throws
// ModelError if there are too many parts.
void unite(Shapes& shapes, Alternatives& to, Alternative one);
void unite(Shapes& shapes, Alternatives& to, Alternatives more);
// Keeps what is in both.
void intersect(Shapes& shapes, Alternatives& alternatives, const Alternatives& by);
// The values in at least one of the branches. Every branch that a value is in has evaluated it.
Alternatives some_of(Shapes& shapes, const std::vector<Alternatives>& branches);
// All values, regardless of what has been evaluated.
Shape whole(Shapes& shapes, Alternatives alternatives);

class SchemaReader {
 public:
  // Both must outlive the object and everything that is computed from its shapes.
  SchemaReader(const SchemaDocument& document, Shapes& shapes, Formats formats);

  // The set of values that a schema allows. It is computed later.
  ShapeId schema(const SchemaNode& node);
  // Computes all sets that can be reached. Throws ModelError with the place if something cannot be
  // honoured.
  void check(ShapeId root);

 private:
  void check(const ObjectShape& object) const;
  // The values that all keywords of a node allow together. Faults get the place of the node.
  Alternatives read(const SchemaNode& node, Tracked tracked);
  Alternatives read_keywords(const SchemaNode& node, Tracked tracked);
  // Reads a schema that applies to the same value as the schema around it.
  Alternatives read_in_place(const SchemaNode& node, Tracked tracked);
  Alternatives of(ShapeId id) { return {{shapes_.get(id)}}; }
  void narrow(Shape& shape, const Shape& by) { shape = shapes_.intersect(shape, by); }
  Evaluated evaluated_by(const SchemaNode& node, Tracked tracked);
  void narrow_unevaluated(const SchemaNode& node, Alternatives& all);
  // Each of these narrows `all` by its keywords.
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
  // Parts of read_objects().
  void read_named(const SchemaNode& node, ObjectShape& object);
  void read_others(const SchemaNode& node, ObjectShape& object);
  void read_names(const SchemaNode& node, ObjectShape& object);
  void read_required(const SchemaNode& node, ObjectShape& object);
  // The value of a keyword, or nullptr if it is missing or the draft does not have it.
  const SchemaNode* find(const SchemaNode& node, const char* key) const {
    return document_.knows(key) ? node.find(key) : nullptr;
  }
  bool has(const SchemaNode& node, const char* key) const { return find(node, key) != nullptr; }
  bool has(const SchemaNode& node, std::initializer_list<const char*> keys) const {
    return std::ranges::any_of(keys, [&](const char* key) { return has(node, key); });
  }
  // The value of a keyword, or nullptr if it is missing. Throws ModelError if it has another type.
  const SchemaNode* object_at(const SchemaNode& node, const char* key) const;
  const SchemaNode* list_at(const SchemaNode& node, const char* key) const;
  int count_at(const SchemaNode& node, const char* key, int otherwise) const;
  std::vector<std::string> names_in(const SchemaNode& list, const char* key) const;

  const SchemaDocument& document_;
  Shapes& shapes_;
  Formats formats_;
  DynamicScopes scopes_;
  DynamicScopes::Id scope_ = DynamicScopes::kOutermost;  // of the schema that is being read
  using Place = std::pair<const SchemaNode*, DynamicScopes::Id>;
  std::map<Place, ShapeId> known_;
  std::map<std::pair<Place, Tracked>, Alternatives> in_place_;
  std::map<Place, bool> open_;  // whether it is being read
};

}  // namespace confab::engine
