// SPDX-License-Identifier: MIT
// Keywords of a JSON Schema that apply other schemas to the same value, and what they have
// evaluated.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/constrain/json/schema_reader.h"
#include "engine/constrain/json/temporarily.h"
#include "engine/constrain/pattern.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMostAlternatives = 64;

}  // namespace

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

void unite(Shapes& shapes, Alternatives& to, Alternative one) {
  const auto same = std::ranges::find(to, one.evaluated, &Alternative::evaluated);
  if (same != to.end()) {
    same->shape = shapes.unite(same->shape, one.shape);
    return;
  }
  if (to.size() >= kMostAlternatives)
    throw ModelError("has too many alternatives for unevaluatedProperties or unevaluatedItems");
  to.push_back(std::move(one));
}

void unite(Shapes& shapes, Alternatives& to, Alternatives more) {
  for (Alternative& one : more) unite(shapes, to, std::move(one));
}

void intersect(Shapes& shapes, Alternatives& alternatives, const Alternatives& by) {
  Alternatives common;
  const bool is_one = alternatives.size() == 1 && by.size() == 1;
  for (Alternative& a : alternatives)
    for (const Alternative& b : by) {
      shapes.effort().spend(a.evaluated.size() + b.evaluated.size());
      Alternative both{shapes.intersect(a.shape, b.shape), a.evaluated};
      both.evaluated.add(b.evaluated);
      if (is_one || !shapes.is_never(both.shape)) unite(shapes, common, std::move(both));
    }
  alternatives = std::move(common);
}

Alternatives some_of(Shapes& shapes, const std::vector<Alternatives>& branches) {
  Alternatives some;
  for (const Alternatives& branch : branches) {
    Alternatives more = some;
    for (const Alternative& one : branch) {
      unite(shapes, more, one);
      for (const Alternative& other : some) {
        shapes.effort().spend(4 * (one.evaluated.size() + other.evaluated.size()));
        // If one of them covers the other, the overlap adds nothing.
        if (one.evaluated.covers(other.evaluated) || other.evaluated.covers(one.evaluated))
          continue;
        Alternative both{shapes.intersect(one.shape, other.shape), one.evaluated};
        both.evaluated.add(other.evaluated);
        if (!shapes.is_never(both.shape)) unite(shapes, more, std::move(both));
      }
    }
    some = std::move(more);
  }
  return some;
}

Shape whole(Shapes& shapes, Alternatives alternatives) {
  Shape all;
  if (!alternatives.empty()) all = std::move(alternatives.front().shape);
  for (std::size_t i = 1; i < alternatives.size(); ++i)
    all = shapes.unite(all, alternatives[i].shape);
  return all;
}

Alternatives SchemaReader::read_in_place(const SchemaNode& node, Tracked tracked) {
  if (!tracked || !node.is_object()) return of(schema(node));
  const Place place{&node, scopes_.enter(scope_, node)};
  if (const auto known = in_place_.find({place, tracked}); known != in_place_.end())
    return known->second;
  bool& is_open = open_[place];
  if (is_open) throw EndlessReference("refers to itself without an end");
  const Effort::Level level(shapes_.effort());
  const Temporarily open(is_open, true);
  const Temporarily within(scope_, place.second);
  return in_place_[{place, tracked}] = read(node, tracked);
}

void SchemaReader::read_references(const SchemaNode& node, Tracked tracked, Alternatives& all) {
  for (const char* key : {"$ref", "$dynamicRef", "$recursiveRef"}) {
    const SchemaNode* reference = find(node, key);
    if (reference == nullptr) continue;
    if (!reference->is_string()) throw ModelError(fmt::format("{} must be a string", key));
    const SchemaNode* target = &document_.resolve(node, reference->text);
    if (std::string_view(key) != "$ref")
      target = &scopes_.resolve(scope_, *target, reference->text);
    intersect(shapes_, all, read_in_place(*target, tracked));
  }
}

Alternatives SchemaReader::any_of(const SchemaNode& list, Tracked tracked) {
  if (!tracked) {
    std::vector<ShapeId> all;
    for (const SchemaNode& one : list.items) all.push_back(schema(one));
    return of(shapes_.either(std::move(all)));
  }
  std::vector<Alternatives> branches;
  for (const SchemaNode& one : list.items) branches.push_back(read_in_place(one, tracked));
  return some_of(shapes_, branches);
}

// Exactly one schema must hold. If two of them overlap, each is taken without the other.
Alternatives SchemaReader::one_of(const SchemaNode& list, Tracked tracked) {
  Alternatives all;
  for (const SchemaNode& one : list.items) {
    const ShapeId id = schema(one);
    if (shapes_.is_never(id)) continue;
    Alternatives alone = read_in_place(one, tracked);
    for (const SchemaNode& other : list.items) {
      const ShapeId without = schema(other);
      if (&other != &one && !shapes_.is_never(shapes_.both(id, without)))
        intersect(shapes_, alone, of(shapes_.negation(without)));
    }
    unite(shapes_, all, std::move(alone));
  }
  return all;
}

// The condition evaluates properties and items even if nothing follows from it.
Alternatives SchemaReader::if_then_else(const SchemaNode& node, Tracked tracked) {
  const SchemaNode* condition = find(node, "if");
  const SchemaNode* then = find(node, "then");
  const SchemaNode* otherwise = find(node, "else");
  if (condition == nullptr || (!tracked && then == nullptr && otherwise == nullptr))
    return of(Shapes::kAny);
  Alternatives all = read_in_place(*condition, tracked);
  // If nothing follows, values that fulfil the condition may be in the rest, too.
  const bool is_alone = then == nullptr && otherwise == nullptr;
  Alternatives rest = of(is_alone ? Shapes::kAny : shapes_.negation(schema(*condition)));
  if (then != nullptr) intersect(shapes_, all, read_in_place(*then, tracked));
  if (otherwise != nullptr) intersect(shapes_, rest, read_in_place(*otherwise, tracked));
  unite(shapes_, all, std::move(rest));
  return all;
}

void SchemaReader::read_combinations(const SchemaNode& node, Tracked tracked, Alternatives& all) {
  if (const SchemaNode* list = list_at(node, "allOf"))
    for (const SchemaNode& one : list->items) intersect(shapes_, all, read_in_place(one, tracked));
  if (const SchemaNode* list = list_at(node, "anyOf"))
    intersect(shapes_, all, any_of(*list, tracked));
  if (const SchemaNode* list = list_at(node, "oneOf"))
    intersect(shapes_, all, one_of(*list, tracked));
  if (const SchemaNode* without = find(node, "not"); without != nullptr)
    intersect(shapes_, all, of(shapes_.negation(schema(*without))));
  if (has(node, "if")) intersect(shapes_, all, if_then_else(node, tracked));
}

// An object that has the key must be valid under the schema. The older "dependencies" may also hold
// lists of names.
void SchemaReader::read_dependencies(const SchemaNode& node, Tracked tracked, Alternatives& all) {
  for (const char* key : {"dependentSchemas", "dependencies"}) {
    const SchemaNode* given = object_at(node, key);
    if (given == nullptr) continue;
    for (const auto& [name, value] : given->members()) {
      Shape without = shapes_.any();
      without.objects.front().named.push_back({name, Shapes::kNever});
      Shape with{.objects = {shapes_.any_object()}};
      with.objects.front().named.push_back({name, Shapes::kAny, true});
      if (value.is_list())
        for (const std::string& needed : names_in(value, key))
          if (!with.objects.front().find(needed))
            with.objects.front().named.push_back({needed, Shapes::kAny, true});
      // `without` also has the values of other types, which have no keys.
      Alternatives either{{std::move(with)}};
      if (!value.is_list()) intersect(shapes_, either, read_in_place(value, tracked));
      unite(shapes_, either, {std::move(without)});
      intersect(shapes_, all, either);
    }
  }
}

// The properties and items that the keywords of this schema evaluate.
Evaluated SchemaReader::evaluated_by(const SchemaNode& node, Tracked tracked) {
  Evaluated all;
  if (const SchemaNode* properties = object_at(node, "properties"))
    all.names.insert(properties->names.begin(), properties->names.end());
  if (const SchemaNode* patterns = object_at(node, "patternProperties");
      patterns && tracked.properties)
    for (const std::string& pattern : patterns->names)
      all.keys.insert(parse_json_pattern(shapes_.regexes(), pattern));
  all.all_properties = has(node, "additionalProperties");
  const SchemaNode* items = find(node, "items");
  const bool is_list = items != nullptr && items->is_list();
  if (const SchemaNode* prefix = is_list ? items : list_at(node, "prefixItems"))
    all.n_items = prefix->items.size();
  all.all_items = has(node, is_list ? "additionalItems" : "items");
  const SchemaNode* contains = find(node, "contains");
  if (contains != nullptr && tracked.items && document_.evaluates_contained())
    all.contained.insert(schema(*contains));
  all.keep(tracked);
  return all;
}

void SchemaReader::narrow_unevaluated(const SchemaNode& node, Alternatives& all) {
  const SchemaNode* properties = find(node, "unevaluatedProperties");
  const SchemaNode* items = find(node, "unevaluatedItems");
  for (Alternative& one : all) {
    if (properties != nullptr)
      narrow(one.shape, unevaluated_properties(shapes_, one.evaluated, schema(*properties)));
    if (items != nullptr)
      narrow(one.shape, unevaluated_items(shapes_, one.evaluated, schema(*items)));
    one.evaluated.all_properties |= properties != nullptr;
    one.evaluated.all_items |= items != nullptr;
    one.evaluated.keep({true, true});
  }
}

}  // namespace confab::engine
