// SPDX-License-Identifier: MIT
#include "engine/constrain/json/schema_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "engine/constrain/json/json_number.h"
#include "engine/constrain/json/json_text.h"
#include "engine/constrain/json/temporarily.h"
#include "engine/constrain/pattern.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

// Keywords that limit values in a way that no grammar of this kind can follow.
constexpr auto kRefused = std::to_array<std::string_view>({"disallow", "extends", "divisibleBy"});

[[noreturn]] void fail(const char* key, std::string_view fault) {
  throw ModelError(fmt::format("{} {}", key, fault));
}

Decimal number_in(const SchemaNode& value, const char* key) {
  if (!value.is_number()) fail(key, "must be a number");
  return Decimal::parse(value.text);
}

constexpr std::size_t kMaxUnique = 64;  // values that can be distinguished
constexpr int kMaxDepth = 16;           // of schemas that are followed to find values

constexpr std::size_t kMaxPatterns = 12;  // of one object; each overlap adds a kind of keys

}  // namespace

SchemaReader::SchemaReader(const SchemaDocument& document, Shapes& shapes, Formats formats)
    : document_(document), shapes_(shapes), formats_(formats), scopes_(document) {}

ShapeId SchemaReader::schema(const SchemaNode& node) {
  if (node.is_boolean()) return node.truth ? Shapes::kAny : Shapes::kNever;
  const DynamicScopes::Id scope = scopes_.enter(scope_, node);
  const auto [at, is_new] = known_.try_emplace({&node, scope}, Shapes::kAny);
  if (!is_new || (node.is_object() && node.names.empty())) return at->second;
  const Temporarily here(shapes_.pointer(), document_.pointer_to(node));
  return at->second = shapes_.later([this, &node, scope] {
    const Temporarily within(scope_, scope);
    return whole(shapes_, read(node, {}));
  });
}

// Faults get their place in the schema, once.
Alternatives SchemaReader::read(const SchemaNode& node, Tracked tracked) {
  const Temporarily here(shapes_.pointer(), document_.pointer_to(node));
  try {
    return read_keywords(node, tracked);
  } catch (const ModelError& fault) {
    rethrow_at(shapes_.pointer(), fault);
  }
}

Alternatives SchemaReader::read_keywords(const SchemaNode& node, Tracked tracked) {
  if (!node.is_object()) throw ModelError("must be an object, true or false");
  const Tracked asked = tracked;
  tracked.properties |= has(node, "unevaluatedProperties");
  tracked.items |= has(node, "unevaluatedItems");
  Alternatives all = of(Shapes::kAny);
  read_references(node, tracked, all);
  if (document_.references_stand_alone() && has(node, "$ref")) return all;
  refuse_unknown(node);
  Alternative own{shapes_.any(), evaluated_by(node, tracked)};
  read_types_and_limits(node, own.shape);
  intersect(shapes_, all, {std::move(own)});
  if (has(node, {"dependentSchemas", "dependencies"})) read_dependencies(node, tracked, all);
  if (has(node, {"allOf", "anyOf", "oneOf", "not", "if"})) read_combinations(node, tracked, all);
  if (has(node, {"unevaluatedProperties", "unevaluatedItems"})) narrow_unevaluated(node, all);
  if (tracked == asked) return all;
  Alternatives kept;
  for (Alternative& one : all) {
    one.evaluated.keep(asked);
    unite(shapes_, kept, std::move(one));
  }
  return kept;
}

void SchemaReader::read_types_and_limits(const SchemaNode& node, Shape& shape) {
  read_types(node, shape);
  read_values(node, shape);
  if (has(node, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}))
    read_numbers(node, shape);
  if (has(node, {"minLength", "maxLength", "pattern", "format"})) read_strings(node, shape);
  if (has(node, {"items", "prefixItems", "additionalItems", "minItems", "maxItems", "contains",
                 "uniqueItems"}))
    read_arrays(node, shape);
  if (has(node, {"properties", "patternProperties", "additionalProperties", "propertyNames",
                 "required", "minProperties", "maxProperties", "dependentRequired"}))
    read_objects(node, shape);
}

void SchemaReader::refuse_unknown(const SchemaNode& node) const {
  for (const std::string_view key : kRefused)
    if (node.contains(key)) throw ModelError(fmt::format("{} cannot be honoured", key));
}

void SchemaReader::read_types(const SchemaNode& node, Shape& shape) {
  const SchemaNode* type = find(node, "type");
  if (type == nullptr) return;
  const Shape& any = shapes_.any();
  Shape named;
  const auto add = [&](const SchemaNode& one) {
    const std::string name = one.is_string() ? one.text : "";
    if (name == "null")
      named.has_null = true;
    else if (name == "boolean")
      named.has_true = named.has_false = true;
    else if (name == "string")
      named.string = any.string;
    else if (name == "array")
      named.arrays = any.arrays;
    else if (name == "object")
      named.objects = any.objects;
    else if (name == "number")
      named.number = any.number;
    else if (name == "integer" && named.number != any.number)
      named.number = document_.integers_are_plain() ? plain_integer(shapes_.regexes())
                                                    : integer(shapes_.regexes());
    else if (name != "integer" && name != "any")
      fail("type", fmt::format("'{}' is not known", printable(name)));
    if (name == "any") named = any;
  };
  if (type->is_list())
    for (const SchemaNode& one : type->items) add(one);
  else
    add(*type);
  narrow(shape, named);
}

Shape SchemaReader::literal(const SchemaNode& value) {
  const Effort::Level level(shapes_.effort());
  Shape shape;
  RegexSet& regexes = shapes_.regexes();
  if (value.is_null()) shape.has_null = true;
  if (value.is_boolean()) (value.truth ? shape.has_true : shape.has_false) = true;
  if (value.is_number()) shape.number = equal_to(regexes, Decimal::parse(value.text));
  if (value.is_string()) shape.string = string_literal(regexes, value.text);
  if (value.is_list()) {
    const auto size = static_cast<int>(value.items.size());
    ArrayShape array{.rest = Shapes::kNever, .min = size, .max = size};
    for (const SchemaNode& item : value.items) array.prefix.push_back(shapes_.add(literal(item)));
    shape.arrays.push_back(std::move(array));
  }
  if (value.is_object()) {
    ObjectShape object;
    for (const auto& [name, item] : value.members())
      if (value.find(name) == &item)
        object.named.push_back({name, shapes_.add(literal(item)), true});
    shape.objects.push_back(std::move(object));
  }
  return shape;
}

void SchemaReader::read_values(const SchemaNode& node, Shape& shape) {
  if (const SchemaNode* value = find(node, "const"); value != nullptr)
    narrow(shape, literal(*value));
  const SchemaNode* values = list_at(node, "enum");
  if (values == nullptr) return;
  Shape all;
  std::vector<RegexId> numbers, strings;
  for (const SchemaNode& value : values->items) {
    Shape one = literal(value);
    all.has_null |= one.has_null;
    all.has_true |= one.has_true;
    all.has_false |= one.has_false;
    numbers.push_back(one.number);
    strings.push_back(one.string);
    for (ArrayShape& array : one.arrays) all.arrays.push_back(std::move(array));
    for (ObjectShape& object : one.objects) all.objects.push_back(std::move(object));
  }
  all.number = shapes_.regexes().either(std::move(numbers));
  all.string = shapes_.regexes().either(std::move(strings));
  narrow(shape, all);
}

// In draft 4 "exclusiveMinimum" and "exclusiveMaximum" are true or false, and modify "minimum" and
// "maximum".
void SchemaReader::read_numbers(const SchemaNode& node, Shape& shape) {
  RegexSet& regexes = shapes_.regexes();
  const auto is_true = [&](const char* key) {
    const SchemaNode* found = find(node, key);
    return found != nullptr && found->is_boolean() && found->truth;
  };
  std::vector<RegexId> limits;
  if (const SchemaNode* least = find(node, "minimum"); least != nullptr)
    limits.push_back(at_least(regexes, number_in(*least, "minimum"), is_true("exclusiveMinimum")));
  if (const SchemaNode* most = find(node, "maximum"); most != nullptr)
    limits.push_back(at_most(regexes, number_in(*most, "maximum"), is_true("exclusiveMaximum")));
  if (const SchemaNode* bound = find(node, "exclusiveMinimum");
      bound != nullptr && !bound->is_boolean())
    limits.push_back(at_least(regexes, number_in(*bound, "exclusiveMinimum"), true));
  if (const SchemaNode* bound = find(node, "exclusiveMaximum");
      bound != nullptr && !bound->is_boolean())
    limits.push_back(at_most(regexes, number_in(*bound, "exclusiveMaximum"), true));
  if (const SchemaNode* of = find(node, "multipleOf"); of != nullptr) {
    try {
      limits.push_back(multiple_of(regexes, number_in(*of, "multipleOf")));
    } catch (const ModelError& fault) {
      fail("multipleOf", fault.what());
    }
  }
  if (limits.empty()) return;
  Shape by = shapes_.any();
  by.number = regexes.both(std::move(limits));
  narrow(shape, by);
}

void SchemaReader::read_strings(const SchemaNode& node, Shape& shape) {
  RegexSet& regexes = shapes_.regexes();
  std::vector<RegexId> limits;
  const int min = count_at(node, "minLength", 0);
  const int max = count_at(node, "maxLength", RegexSet::kNoLimit);
  if (max != RegexSet::kNoLimit && max < min)
    limits.push_back(RegexSet::kNothing);
  else
    limits.push_back(string_of_length(regexes, min, max));
  if (const SchemaNode* pattern = find(node, "pattern"); pattern != nullptr) {
    if (!pattern->is_string()) fail("pattern", "must be a string");
    limits.push_back(parse_json_pattern(regexes, pattern->text));
  }
  const SchemaNode* format = find(node, "format");
  if (formats_ == Formats::hold && format != nullptr && format->is_string())
    if (const auto pattern = format_pattern(format->text))
      limits.push_back(parse_json_pattern(regexes, fmt::format("^(?:{})$", *pattern)));
  const RegexId any = shapes_.any().string;
  std::erase(limits, any);
  if (limits.empty()) return;
  Shape by = shapes_.any();
  by.string = regexes.both(std::move(limits));
  if (regexes.is_empty(by.string)) by.string = RegexSet::kNothing;
  narrow(shape, by);
}

const SchemaNode* SchemaReader::object_at(const SchemaNode& node, const char* key) const {
  const SchemaNode* found = find(node, key);
  if (found == nullptr) return nullptr;
  if (!found->is_object()) fail(key, "must be an object");
  return found;
}

const SchemaNode* SchemaReader::list_at(const SchemaNode& node, const char* key) const {
  const SchemaNode* found = find(node, key);
  if (found == nullptr) return nullptr;
  if (!found->is_list()) fail(key, "must be a list");
  return found;
}

int SchemaReader::count_at(const SchemaNode& node, const char* key, int otherwise) const {
  const SchemaNode* found = find(node, key);
  if (found == nullptr) return otherwise;
  const double value = found->is_number() ? std::strtod(found->text.c_str(), nullptr) : -1;
  if (!(value >= 0) ||
      value != static_cast<double>(static_cast<std::int64_t>(std::min(value, 1e15))))
    fail(key, "must be a whole number from 0");
  // Larger numbers are cut. No answer reaches this limit.
  return static_cast<int>(std::min<double>(value, std::numeric_limits<int>::max() / 2));
}

std::vector<std::string> SchemaReader::names_in(const SchemaNode& list, const char* key) const {
  if (!list.is_list()) fail(key, "must be a list of names");
  std::vector<std::string> names;
  for (const SchemaNode& name : list.items) {
    if (!name.is_string()) fail(key, "must be a list of names");
    names.push_back(name.text);
  }
  return names;
}

// Two unnamed keys may be the same key, so only one of them counts.
void SchemaReader::check(const ObjectShape& object) const {
  const auto n_required =
      std::ranges::count_if(object.named, [](const auto& named) { return named.is_required; });
  if (object.min > n_required + 1 && !object.others.empty())
    throw ModelError("minProperties cannot be honoured where properties have no name");
}

void SchemaReader::check(ShapeId root) {
  std::set<ShapeId> seen{root};
  std::vector<ShapeId> open{root};
  const auto visit = [&](ShapeId id) {
    if (seen.insert(id).second) open.push_back(id);
  };
  while (!open.empty()) {
    const ShapeId id = open.back();
    open.pop_back();
    const Shape& shape = shapes_.get(id);
    for (const ArrayShape& array : shape.arrays) {
      for (const ShapeId item : array.prefix) visit(item);
      visit(array.rest);
      for (const ArrayShape::Contains& contains : array.contains) visit(contains.value);
    }
    for (const ObjectShape& object : shape.objects) {
      try {
        check(object);
      } catch (const ModelError& fault) {
        rethrow_at(shapes_.pointer_of(id), fault);
      }
      for (const ObjectShape::Named& named : object.named) visit(named.value);
      for (const ObjectShape::Others& others : object.others) visit(others.value);
    }
  }
}

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
    // An array of at most one item has no equal items.
    if (array.max == RegexSet::kNoLimit || array.max > 1) read_unique(node, array);
  }
  Shape by = shapes_.any();
  by.arrays = {std::move(array)};
  if (by.arrays[0].max != RegexSet::kNoLimit && by.arrays[0].max < by.arrays[0].min)
    by.arrays.clear();
  narrow(shape, by);
}

// All values that can be valid under a schema, and perhaps others; nullopt if the schema does not
// list them.
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
        if (all.size() > kMaxUnique) return all;  // more than can be distinguished
      }
      return all;
    }
  return std::nullopt;
}

// Allows each listed value at most once. One item may have values that are not listed, because all
// other items have listed values.
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
  // There cannot be more items than values.
  const int most = static_cast<int>(values.size()) + n_any;
  if (array.max == RegexSet::kNoLimit || array.max > most) array.max = most;
}

void SchemaReader::read_objects(const SchemaNode& node, Shape& shape) {
  ObjectShape object;
  read_named(node, object);
  read_others(node, object);
  read_names(node, object);
  read_required(node, object);
  object.min = count_at(node, "minProperties", 0);
  object.max = count_at(node, "maxProperties", RegexSet::kNoLimit);
  // Required names count in any case.
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

// Splits keys into kinds by the patterns that they match. "additionalProperties" applies to the
// last kind, which matches none.
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
  // In drafts 3 and 4 "required" may be true or false inside a property.
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
