// SPDX-License-Identifier: MIT
// What a JSON Schema says of objects.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/constrain/json/json_text.h"
#include "engine/constrain/json/schema_reader.h"
#include "engine/constrain/pattern.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxPatterns = 12;  // of one object: kinds of keys grow with their overlaps

}  // namespace

void SchemaReader::read_objects(const SchemaNode& node, Shape& shape) {
  ObjectShape object;
  read_named(node, object);
  read_others(node, object);
  read_names(node, object);
  read_required(node, object);
  object.min = count_at(node, "minProperties", 0);
  object.max = count_at(node, "maxProperties", RegexSet::kNoLimit);
  // Names that are asked for count in any case.
  int n_required = 0;
  for (const ObjectShape::Named& named : object.named) n_required += named.is_required;
  if (object.min <= n_required) object.min = 0;
  Shape by = shapes_.any();
  by.objects.clear();
  if (object.max == RegexSet::kNoLimit || object.max >= object.min)
    by.objects.push_back(std::move(object));
  narrow(shape, by);
}

void SchemaReader::read_named(const SchemaNode& node, ObjectShape& object) {
  const SchemaNode* properties = object_at(node, "properties");
  if (properties == nullptr) return;
  for (const auto& [name, value] : properties->members())
    if (properties->find(name) == &value) object.named.push_back({name, schema(value)});
}

// Keys fall into kinds by which of the patterns they match; the last kind is of those that match
// none, to which "additionalProperties" applies.
void SchemaReader::read_others(const SchemaNode& node, ObjectShape& object) {
  RegexSet& regexes = shapes_.regexes();
  const SchemaNode* rest = find(node, "additionalProperties");
  object.others = {{shapes_.any_object().others[0].keys, Shapes::kAny}};
  std::vector<bool> matches_none{true};
  if (const SchemaNode* patterns = object_at(node, "patternProperties")) {
    if (patterns->names.size() > kMaxPatterns)
      throw ModelError("patternProperties has too many patterns");
    for (const auto& [pattern, value] : patterns->members()) {
      const RegexId keys = parse_json_pattern(regexes, pattern);
      const ShapeId limit = schema(value);
      for (ObjectShape::Named& named : object.named)
        if (!regexes.is_empty(regexes.both({string_literal(regexes, named.name), keys})))
          named.value = shapes_.both(named.value, limit);
      std::vector<ObjectShape::Others> kinds;
      std::vector<bool> none;
      for (std::size_t i = 0; i < object.others.size(); ++i) {
        const ObjectShape::Others& kind = object.others[i];
        const RegexId with = regexes.both({kind.keys, keys});
        const RegexId without = regexes.both({kind.keys, regexes.negation(keys)});
        if (!regexes.is_empty(with)) {
          kinds.push_back({with, shapes_.both(kind.value, limit)});
          none.push_back(false);
        }
        if (!regexes.is_empty(without)) {
          kinds.push_back({without, kind.value});
          none.push_back(matches_none[i]);
        }
      }
      object.others = std::move(kinds);
      matches_none = std::move(none);
    }
  }
  if (rest == nullptr) return;
  const ShapeId value = schema(*rest);
  for (std::size_t i = 0; i < object.others.size(); ++i)
    if (matches_none[i]) object.others[i].value = value;
  std::erase_if(object.others, [](const auto& kind) { return kind.value == Shapes::kNever; });
}

void SchemaReader::read_names(const SchemaNode& node, ObjectShape& object) {
  const SchemaNode* names = find(node, "propertyNames");
  if (names == nullptr) return;
  RegexSet& regexes = shapes_.regexes();
  const RegexId allowed = shapes_.get(schema(*names)).string;
  if (allowed == shapes_.any().string) return;
  for (ObjectShape::Named& named : object.named)
    if (regexes.is_empty(regexes.both({string_literal(regexes, named.name), allowed})))
      named.value = Shapes::kNever;
  for (ObjectShape::Others& kind : object.others) kind.keys = regexes.both({kind.keys, allowed});
  std::erase_if(object.others, [&](const auto& kind) { return regexes.is_empty(kind.keys); });
}

void SchemaReader::read_required(const SchemaNode& node, ObjectShape& object) {
  const auto require = [&](const std::string& name, bool is_required) {
    shapes_.effort().spend(1 + object.named.size() / 16);
    auto found = std::ranges::find(object.named, name, &ObjectShape::Named::name);
    if (found == object.named.end()) {
      object.named.push_back({name, shapes_.value_of(object, name)});
      found = object.named.end() - 1;
    }
    found->is_required |= is_required;
  };
  // In draft 3 and 4 "required" may stand in a property, as true or false.
  const SchemaNode* required = find(node, "required");
  if (required != nullptr && !required->is_boolean())
    for (const std::string& name : names_in(*required, "required")) require(name, true);
  const SchemaNode* dependent = object_at(node, "dependentRequired");
  if (dependent == nullptr) return;
  for (const auto& [name, list] : dependent->members())
    for (const std::string& needed : names_in(list, "dependentRequired")) {
      require(name, false);
      require(needed, false);
      object.dependent.push_back({name, needed});
    }
}

}  // namespace confab::engine
