// SPDX-License-Identifier: MIT
// What a JSON Schema says of arrays.
#include <algorithm>
#include <utility>

#include "engine/constrain/json/schema_reader.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxUnique = 64;  // values that are told apart
constexpr int kMaxDepth = 16;           // of schemas that lead to values

}  // namespace

void SchemaReader::read_arrays(const SchemaNode& node, Shape& shape) {
  ArrayShape array{.rest = Shapes::kAny};
  const SchemaNode* items = find(node, "items");
  const SchemaNode* prefix = list_at(node, "prefixItems");
  const bool is_list = items != nullptr && items->is_list();
  if (is_list) prefix = &*items;
  if (prefix != nullptr)
    for (const SchemaNode& one : prefix->items) array.prefix.push_back(schema(one));
  const auto rest = is_list ? find(node, "additionalItems") : items;
  if (rest != nullptr) array.rest = schema(*rest);
  array.min = count_at(node, "minItems", 0);
  array.max = count_at(node, "maxItems", RegexSet::kNoLimit);
  if (const SchemaNode* contains = find(node, "contains"); contains != nullptr) {
    const int least = count_at(node, "minContains", 1);
    const int most = count_at(node, "maxContains", RegexSet::kNoLimit);
    if (least > 0 || most != RegexSet::kNoLimit)
      array.contains.push_back({schema(*contains), least, most});
  }
  if (const SchemaNode* unique = find(node, "uniqueItems");
      unique != nullptr && unique->is_boolean() && unique->truth) {
    // An array of one item at most has no two that are equal.
    if (array.max == RegexSet::kNoLimit || array.max > 1) read_unique(node, array);
  }
  Shape by = shapes_.any();
  by.arrays = {std::move(array)};
  if (by.arrays[0].max != RegexSet::kNoLimit && by.arrays[0].max < by.arrays[0].min)
    by.arrays.clear();
  narrow(shape, by);
}

// All values that can be valid under a schema, and maybe others; nullopt: it does not name them.
std::optional<std::vector<Shape>> SchemaReader::values_of(const SchemaNode& node, int depth) {
  if (node.is_boolean() && !node.truth) return std::vector<Shape>{};
  shapes_.effort().spend(16);
  if (!node.is_object() || depth > kMaxDepth) return std::nullopt;
  std::vector<Shape> all;
  if (const SchemaNode* value = find(node, "const")) return std::vector{literal(*value)};
  if (const SchemaNode* values = list_at(node, "enum")) {
    for (const SchemaNode& value : values->items) all.push_back(literal(value));
    return all;
  }
  if (const SchemaNode* type = find(node, "type"); type != nullptr && type->is_string()) {
    if (type->text == "null") return std::vector{Shape{.has_null = true}};
    if (type->text == "boolean") return std::vector{Shape{.has_true = true}, {.has_false = true}};
  }
  if (const SchemaNode* reference = find(node, "$ref"); reference && reference->is_string())
    return values_of(document_.resolve(node, reference->text), depth + 1);
  for (const char* key : {"anyOf", "oneOf"})
    if (const SchemaNode* list = list_at(node, key)) {
      for (const SchemaNode& one : list->items) {
        auto more = values_of(one, depth + 1);
        if (!more) return std::nullopt;
        std::ranges::move(*more, std::back_inserter(all));
        if (all.size() > kMaxUnique) return all;  // more than can be told apart
      }
      return all;
    }
  return std::nullopt;
}

// Each value once at most. One item of the array may be any value: it differs from all others when
// these are told apart.
void SchemaReader::read_unique(const SchemaNode& node, ArrayShape& array) {
  const SchemaNode* items = find(node, "items");
  const bool is_list = items != nullptr && items->is_list();
  const SchemaNode* prefix = is_list ? items : find(node, "prefixItems");
  const SchemaNode* rest = is_list ? find(node, "additionalItems") : items;
  std::vector<Shape> values;
  int n_any = 0;
  const auto add = [&](const SchemaNode* of, int n) {
    auto more = of == nullptr ? std::nullopt : values_of(*of, 0);
    if (more) std::ranges::move(*more, std::back_inserter(values));
    n_any += more ? 0 : n;
  };
  const int n_prefix = prefix == nullptr ? 0 : static_cast<int>(prefix->items.size());
  for (int i = 0; i < n_prefix; ++i) add(&prefix->items[static_cast<std::size_t>(i)], 1);
  if (array.max == RegexSet::kNoLimit || array.max > n_prefix)
    add(rest, array.max == n_prefix + 1 ? 1 : 2);
  if (n_any > 1 || values.size() > kMaxUnique)
    throw ModelError(
        "uniqueItems cannot be honoured unless the schema names all values of the items");
  for (Shape& value : values) array.contains.push_back({shapes_.add(std::move(value)), 0, 1});
  // More items than values there cannot be.
  const int most = static_cast<int>(values.size()) + n_any;
  if (array.max == RegexSet::kNoLimit || array.max > most) array.max = most;
}

}  // namespace confab::engine
