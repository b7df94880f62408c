// SPDX-License-Identifier: MIT
// What the keywords of a JSON Schema say, as sets of values.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/constrain/json/json_schema.h"
#include "engine/constrain/json/json_shape.h"
#include "engine/constrain/json/schema_document.h"

namespace confab::engine {

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
  Shape read(const SchemaNode& node);
  Shape checked_read(const SchemaNode& node);
  void narrow(Shape& shape, const Shape& by);
  void narrow(Shape& shape, ShapeId by) { narrow(shape, shapes_.get(by)); }
  // Each takes what its keywords say of the shape.
  void read_types(const SchemaNode& node, Shape& shape);
  void read_values(const SchemaNode& node, Shape& shape);
  void read_numbers(const SchemaNode& node, Shape& shape);
  void read_strings(const SchemaNode& node, Shape& shape);
  void read_arrays(const SchemaNode& node, Shape& shape);
  void read_objects(const SchemaNode& node, Shape& shape);
  void read_combinations(const SchemaNode& node, Shape& shape);
  void read_dependencies(const SchemaNode& node, Shape& shape);
  void refuse_unknown(const SchemaNode& node) const;
  ShapeId one_of(const SchemaNode& list);
  Shape literal(const SchemaNode& value);
  // Parts of objects.
  void read_named(const SchemaNode& node, ObjectShape& object);
  void read_others(const SchemaNode& node, ObjectShape& object);
  void read_names(const SchemaNode& node, ObjectShape& object);
  void read_required(const SchemaNode& node, ObjectShape& object);
  // The value of a keyword, nullptr where it is not there. Throws ModelError for another type.
  const SchemaNode* object_at(const SchemaNode& node, const char* key) const;
  const SchemaNode* list_at(const SchemaNode& node, const char* key) const;
  int count_at(const SchemaNode& node, const char* key, int otherwise) const;
  std::vector<std::string> names_in(const SchemaNode& list, const char* key) const;

  const SchemaDocument& document_;
  Shapes& shapes_;
  Formats formats_;
  std::map<const SchemaNode*, ShapeId> known_;
};

}  // namespace confab::engine
