// SPDX-License-Identifier: MIT
// Short texts that end a value, for answers that have to be closed.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "engine/constrain/json/json_grammar.h"
#include "engine/constrain/json/json_text.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

using Text = std::optional<std::string>;

// Bytes of a short text. References that lead to two others each double it.
constexpr std::size_t kMaxWayOut = std::size_t{1} << 20U;

void check_length(std::size_t n_bytes) {
  if (n_bytes > kMaxWayOut)
    throw ModelError("schema: the shortest valid answer is longer than 1 MiB");
}

void offer(Text& best, Text text) {
  if (text && (!best || text->size() < best->size())) best = std::move(text);
}

}  // namespace

// nullopt: there is no value, or only such as contain one of their own kind without an end.
Text JsonGrammar::shortest(ShapeId id) {
  const auto [at, is_new] = shortest_.try_emplace(id, std::nullopt);
  if (!is_new) return at->second;
  Text best;
  try {
    best = find_shortest(id);
  } catch (const ModelError&) {
    shortest_.erase(id);
    throw;
  }
  if (best)
    shortest_[id] = best;
  else
    shortest_.erase(id);  // it may be known later, when what it stands in has been looked at
  return best;
}

Text JsonGrammar::find_shortest(ShapeId id) {
  RegexSet& r = regexes();
  const Effort::Level level(r.effort());
  r.effort().spend(64);
  const Shape& shape = shapes_.get(id);
  Text best;
  if (shape.has_null) offer(best, "null");
  if (shape.has_true) offer(best, "true");
  if (shape.has_false) offer(best, "false");
  for (const RegexId text : {shape.number, shape.string})
    if (!r.is_empty(text)) offer(best, r.shortest_by_tag(text).front().second);
  for (std::size_t i = 0; i < shape.objects.size(); ++i)
    if (Text rest = close_object(begun(id, Kind::object, i))) offer(best, "{" + *rest);
  for (std::size_t i = 0; i < shape.arrays.size(); ++i)
    if (Text rest = close_array(begun(id, Kind::array, i))) offer(best, "[" + *rest);
  return best;
}

// The shortest key of these, and a short value; false: there is none.
bool JsonGrammar::add_pair(ObjectEnd& end, RegexId keys, ShapeId shape) {
  RegexSet& r = regexes();
  const Text value = r.is_empty(keys) ? std::nullopt : shortest(shape);
  if (!value) return false;
  const std::string name = r.shortest_by_tag(keys).front().second;
  const std::size_t n_named = end.object.named.size();
  for (std::size_t j = n_named; j < end.seen.size(); ++j)
    end.seen[j] = end.seen[j] || r.matches(end.object.some[j - n_named], name);
  check_length(end.text.size() + name.size() + value->size());
  r.effort().spend((name.size() + value->size()) / 64);
  end.text += fmt::format("{}{}:{}", end.is_first ? "" : ",", name, *value);
  end.is_first = false;
  return true;
}

bool JsonGrammar::add_named(ObjectEnd& end, std::size_t i) {
  const ObjectShape::Named& named = end.object.named[i];
  end.seen[i] = add_pair(end, string_literal(regexes(), named.name), named.value);
  return end.seen[i];
}

// A property with one of these keys that needs no other.
bool JsonGrammar::add_some(ObjectEnd& end, RegexId keys) {
  const auto needs_others = [&](const ObjectShape::Named& named) {
    return std::ranges::find(end.object.dependent, named.name, &ObjectShape::Dependent::name) !=
           end.object.dependent.end();
  };
  for (std::size_t i = 0; i < end.object.named.size(); ++i) {
    const ObjectShape::Named& named = end.object.named[i];
    if (!end.seen[i] && shapes_.has(keys, named.name) && !needs_others(named) && add_named(end, i))
      return true;
  }
  for (const ObjectShape::Others& kind : end.object.others)
    if (add_pair(end, regexes().both({others_of(end.object, kind), keys}), kind.value))
      return end.has_other = true;
  return false;
}

// Keys of which an object has to have some and has none yet, as few as it takes where there is a
// most.
bool JsonGrammar::add_missing(ObjectEnd& end) {
  const ObjectShape& object = end.object;
  const auto is_missing = [&](std::size_t j) { return !end.seen[object.named.size() + j]; };
  if (object.max != RegexSet::kNoLimit) {
    std::vector<RegexId> missing;
    for (std::size_t j = 0; j < object.some.size(); ++j)
      if (is_missing(j)) missing.push_back(object.some[j]);
    const auto groups = shapes_.fewest_keys(object, missing);
    return groups && std::ranges::all_of(*groups, [&](RegexId g) { return add_some(end, g); });
  }
  for (std::size_t j = 0; j < object.some.size(); ++j)
    if (is_missing(j) && !add_some(end, object.some[j])) return false;
  return true;
}

// What an object still needs: names, then keys of which it has to have some, then as many as there
// must be.
Text JsonGrammar::close_object(const Key& key) {
  const ObjectShape& object = object_of(key);
  const auto n_named = static_cast<std::ptrdiff_t>(object.named.size());
  ObjectEnd end{object, names_[static_cast<std::size_t>(key.seen)], key.count > 0, key.is_first,
                ""};
  const Names needed = object.needed_names(end.seen);
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i] && !end.seen[i] && !add_named(end, i)) return std::nullopt;
  if (!add_missing(end)) return std::nullopt;
  const auto n = [&] {
    return std::count(end.seen.begin(), end.seen.begin() + n_named, true) + end.has_other;
  };
  while (n() < object.min) {
    const auto before = n();
    if (!add_some(end, shapes_.any_object().others[0].keys) || n() == before) return std::nullopt;
  }
  return end.text + "}";
}

// How many items are needed, as if each were for one thing only, but those before the place from
// which on it must contain something.
int JsonGrammar::n_needed(const Key& key) {
  const ArrayShape& array = array_of(key);
  const Progress& progress = progress_[static_cast<std::size_t>(key.seen)];
  int n = std::max(0, array.min - key.count);
  for (std::size_t i = 0; i < progress.size(); ++i) {
    const ArrayShape::Contains& contains = array.contains[i];
    if (progress[i] < contains.min)
      n += contains.min - progress[i] + std::max(0, contains.from - key.count);
  }
  return n;
}

// A way over what an array may have got so far, item by item: always on from where the least is
// needed, and of these from the shortest text.
Text JsonGrammar::close_array(const Key& key) {
  constexpr std::size_t kMany = 10'000;
  struct Step {
    StateId at;
    std::size_t before;
    ShapeId item;  // whose shortest value comes
  };
  std::vector<Step> steps{{id_of(key), 0, Shapes::kAny}};
  std::set<std::tuple<int, std::size_t, std::size_t>> open{{n_needed(key), 0, 0}};  // then a step
  std::set<StateId> done;
  while (!open.empty() && done.size() < kMany) {
    const auto [n_left, n_bytes, last] = *open.begin();
    open.erase(open.begin());
    const Key here = keys_[static_cast<std::size_t>(steps[last].at)];
    if (!done.insert(steps[last].at).second) continue;
    if (n_left == 0) {
      std::vector<ShapeId> items;
      for (std::size_t i = last; i != 0; i = steps[i].before) items.push_back(steps[i].item);
      std::string text;
      for (auto item = items.rbegin(); item != items.rend(); ++item)
        text += (item == items.rbegin() && key.is_first ? "" : ",") + shortest(*item).value_or("");
      return text + "]";
    }
    for (const StateId next : items_after(here)) {
      const Key item = keys_[static_cast<std::size_t>(next)];
      const Text value = shortest(item.value);
      if (!value) continue;
      check_length(n_bytes + value->size());
      regexes().effort().spend(value->size() / 64);
      const StateId then = after_value(item);
      open.emplace(n_needed(keys_[static_cast<std::size_t>(then)]), n_bytes + value->size() + 1,
                   steps.size());
      steps.push_back({then, last, item.value});
    }
  }
  return std::nullopt;
}

Text JsonGrammar::way_out(StateId id) {
  const Key key = keys_[static_cast<std::size_t>(id)];
  switch (key.kind) {
    case Kind::end:
      return "";
    case Kind::value:
      return shortest(key.shape);
    case Kind::object:
      return close_object(key);
    case Kind::array:
      return close_array(key);
    case Kind::pair:
    case Kind::item: {
      const Text value = shortest(key.value), rest = way_out(after_value(key));
      return value && rest ? Text(*value + *rest) : std::nullopt;
    }
    case Kind::objects:
    case Kind::arrays:
      break;
  }
  Text best;
  for (const StateId next : state(id).next) offer(best, way_out(next));
  return best;
}

}  // namespace confab::engine
