// SPDX-License-Identifier: MIT
// Short texts that end a value, for answers that have to be closed.
#include <fmt/format.h>
#include <algorithm>

#include "engine/constrain/json/json_grammar.h"
#include "engine/constrain/json/json_text.h"

namespace confab::engine {
namespace {

using Text = std::optional<std::string>;

void offer(Text& best, Text text) {
  if (text && (!best || text->size() < best->size())) best = std::move(text);
}

// Names that others need are required where those are.
void require_needed(ObjectShape& object) {
  const auto is_required = [&](const std::string& name) {
    const ObjectShape::Named* named = object.find(name);
    return named != nullptr && named->is_required;
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const ObjectShape::Dependent& pair : object.dependent)
      for (ObjectShape::Named& named : object.named) {
        if (named.name != pair.needed || named.is_required || !is_required(pair.name)) continue;
        named.is_required = goes_on = true;
      }
  }
}

}  // namespace

// nullopt: there is no value, or only such as contain one of their own kind without an end.
Text JsonGrammar::shortest(ShapeId id) {
  const auto [at, is_new] = shortest_.try_emplace(id, std::nullopt);
  if (!is_new) return at->second;
  RegexSet& r = regexes();
  const Shape& shape = shapes_.get(id);
  Text best;
  if (shape.has_null) offer(best, "null");
  if (shape.has_true) offer(best, "true");
  if (shape.has_false) offer(best, "false");
  for (const RegexId text : {shape.number, shape.string})
    if (!r.is_empty(text)) offer(best, r.shortest_by_tag(text).front().second);
  for (const ObjectShape& object : shape.objects) offer(best, shortest(object));
  for (const ArrayShape& array : shape.arrays) offer(best, shortest(array));
  if (best)
    shortest_[id] = best;
  else
    shortest_.erase(id);  // it may be known later, when what it stands in has been looked at
  return best;
}

Text JsonGrammar::shortest(const ObjectShape& of) {
  ObjectShape object = of;
  require_needed(object);
  std::string text = "{";
  int n = 0;
  const auto add = [&](const std::string& key, ShapeId value_shape) {
    const Text value = shortest(value_shape);
    if (!value) return false;
    text += fmt::format("{}{}:{}", n++ > 0 ? "," : "", key, *value);
    return true;
  };
  RegexSet& r = regexes();
  const auto key_of = [&](const ObjectShape::Named& named) {
    return r.shortest_by_tag(string_literal(r, named.name)).front().second;
  };
  const auto needs_others = [&](const ObjectShape::Named& named) {
    return std::ranges::find(object.dependent, named.name, &ObjectShape::Dependent::name) !=
           object.dependent.end();
  };
  for (const ObjectShape::Named& named : object.named)
    if (named.is_required && !add(key_of(named), named.value)) return std::nullopt;
  for (const ObjectShape::Named& named : object.named)
    if (n < object.min && !named.is_required && !needs_others(named))
      add(key_of(named), named.value);
  for (const ObjectShape::Others& kind : object.others) {
    if (n >= object.min) break;
    const RegexId keys = others_of(object, kind);
    if (!r.is_empty(keys) && add(r.shortest_by_tag(keys).front().second, kind.value)) break;
  }
  if (n < object.min) return std::nullopt;
  return text + "}";
}

Text JsonGrammar::shortest(const ArrayShape& array) {
  std::string text = "[";
  int n = array.min, n_contained = 0;
  for (const ArrayShape::Contains& contains : array.contains) n_contained += contains.min;
  n = std::max(n, n_contained);
  constexpr int kMany = 10'000;
  if (n > kMany || (array.max != RegexSet::kNoLimit && n > array.max)) return std::nullopt;
  std::size_t of = 0;
  int n_of = 0;
  for (int i = 0; i < n; ++i) {
    ShapeId item = item_shape(array, i);
    while (of < array.contains.size() && n_of >= array.contains[of].min) {
      ++of;
      n_of = 0;
    }
    if (of < array.contains.size()) {
      item = shapes_.both(item, array.contains[of].value);
      ++n_of;
    }
    const Text value = shortest(item);
    if (!value) return std::nullopt;
    text += (i > 0 ? "," : "") + *value;
  }
  return text + "]";
}

Text JsonGrammar::close_object(const Key& key) {
  ObjectShape rest = object_of(key);
  const std::vector<bool> seen = names_[static_cast<std::size_t>(key.seen)];
  std::vector<std::string> needed;
  for (const ObjectShape::Dependent& pair : rest.dependent)
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] && rest.named[i].name == pair.name) needed.push_back(pair.needed);
  int n_seen = std::min(key.count, 1);
  std::vector<ObjectShape::Named> left;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    n_seen += seen[i];
    if (seen[i]) continue;
    left.push_back(rest.named[i]);
    left.back().is_required |= std::ranges::find(needed, left.back().name) != needed.end();
  }
  rest.named = std::move(left);
  rest.min = std::max(0, rest.min - n_seen);
  const Text text = shortest(rest);
  if (!text) return std::nullopt;
  return (key.is_first || text->size() == 2 ? "" : ",") + text->substr(1);
}

Text JsonGrammar::close_array(const Key& key) {
  ArrayShape rest = array_of(key);
  const std::vector<int> progress = progress_[static_cast<std::size_t>(key.seen)];
  for (std::size_t i = 0; i < progress.size(); ++i)
    rest.contains[i].min = std::max(0, rest.contains[i].min - progress[i]);
  const auto n_prefix = std::min<std::ptrdiff_t>(key.count, std::ssize(rest.prefix));
  rest.prefix.erase(rest.prefix.begin(), rest.prefix.begin() + n_prefix);
  rest.min = std::max(0, rest.min - key.count);
  if (rest.max != RegexSet::kNoLimit) rest.max = std::max(0, rest.max - key.count);
  const Text text = shortest(rest);
  if (!text) return std::nullopt;
  return (key.is_first || text->size() == 2 ? "" : ",") + text->substr(1);
}

std::string JsonGrammar::way_out(StateId id) {
  const Key key = keys_[static_cast<std::size_t>(id)];
  switch (key.kind) {
    case Kind::end:
      return {};
    case Kind::value:
      return shortest(key.shape).value_or("");
    case Kind::object:
      return close_object(key).value_or("");
    case Kind::array:
      return close_array(key).value_or("");
    case Kind::pair:
    case Kind::item: {
      Key then = key;
      then.kind = key.kind == Kind::pair ? Kind::object : Kind::array;
      then.value = 0;
      return shortest(key.value).value_or("") + way_out(id_of(then));
    }
    case Kind::objects:
    case Kind::arrays:
      break;
  }
  Text best;
  for (const StateId next : state(id).next) offer(best, way_out(next));
  return best.value_or("");
}

}  // namespace confab::engine
