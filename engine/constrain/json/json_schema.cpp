// SPDX-License-Identifier: MIT
#include "engine/constrain/json/json_schema.h"

#include "engine/constrain/json/json_grammar.h"
#include "engine/constrain/json/schema_reader.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

// Everything that the sets of a schema are computed from. It lives as long as the grammar.
struct SchemaParts {
  SchemaParts(RegexSet& regexes, std::string_view text, Formats formats)
      : document(text), shapes(regexes), reader(document, shapes, formats) {}

  SchemaDocument document;
  Shapes shapes;
  SchemaReader reader;
};

}  // namespace

std::unique_ptr<Grammar> parse_json_schema(RegexSet& regexes, std::string_view text,
                                           Formats formats) {
  regexes.effort().begin();
  auto parts = std::make_shared<SchemaParts>(regexes, text, formats);
  const ShapeId root = parts->reader.schema(parts->document.root());
  parts->reader.check(root);
  Shapes& shapes = parts->shapes;
  if (shapes.is_never(root)) throw ModelError("schema: no value is valid under it");
  return std::make_unique<JsonGrammar>(regexes, std::move(parts), shapes, root);
}

}  // namespace confab::engine
