// SPDX-License-Identifier: MIT
#include "engine/constrain/json/json_grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "engine/constrain/json/json_text.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxStates = 2'000'000;
constexpr StateId kNotMade = -1;
constexpr std::size_t kMaxParts = 256;  // parts of a kind of keys, see parts_of()

template <class Value, class Ids>
int interned(const Value& value, std::vector<Value>& values, Ids& ids) {
  const auto [at, is_new] = ids.try_emplace(value, static_cast<int>(values.size()));
  if (is_new) values.push_back(value);
  return at->second;
}

std::vector<bool> joined(std::vector<bool> a, const std::vector<bool>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
  return a;
}

using Text = std::optional<std::string>;

// The maximum size of a short text. A chain of references that each lead to two others doubles it
// at every step.
constexpr std::size_t kMaxWayOut = std::size_t{1} << 20U;

void check_length(std::size_t n_bytes) {
  if (n_bytes > kMaxWayOut)
    throw ModelError("schema: the shortest valid answer is longer than 1 MiB");
}

void offer(Text& best, Text text) {
  if (text && (!best || text->size() < best->size())) best = std::move(text);
}

}  // namespace

JsonGrammar::JsonGrammar(RegexSet& regexes, std::shared_ptr<void> owner, Shapes& shapes,
                         ShapeId root)
    : Grammar(regexes), owner_(std::move(owner)), shapes_(shapes), space_(json_space(regexes)) {
  id_of({Kind::end});
  start_ = id_of({.kind = Kind::value, .shape = root});
}

StateId JsonGrammar::id_of(const Key& key) {
  const auto [at, is_new] = ids_.try_emplace(key, static_cast<StateId>(keys_.size()));
  if (!is_new) return at->second;
  if (keys_.size() >= kMaxStates) throw ModelError("the answer is too large for its schema");
  keys_.push_back(key);
  states_.emplace_back();
  return at->second;
}

int JsonGrammar::id_of(const Names& names) {
  return interned(names, names_, names_ids_);
}

int JsonGrammar::id_of(const Progress& progress) {
  return interned(progress, progress_, progress_ids_);
}

const GrammarState& JsonGrammar::state(StateId id) {
  const auto at = static_cast<std::size_t>(id);
  if (!states_[at]) {
    GrammarState made = make(Key(keys_[at]));
    states_[at] = std::move(made);
  }
  return *states_[at];
}

StateId JsonGrammar::after_scan(StateId scan, int tag) {
  const auto at = static_cast<std::size_t>(scan), of = static_cast<std::size_t>(tag);
  if (const StateId known = state(scan).next[of]; known != kNotMade) return known;
  const StateId next = id_of(pair_after(Key(keys_[at]), tag));
  return states_[at]->next[of] = next;
}

GrammarState JsonGrammar::make(const Key& key) {
  using enum GrammarState::Kind;
  switch (key.kind) {
    case Kind::end:
      return {};
    case Kind::value:
      return make_value(key);
    case Kind::object:
      return make_object(key);
    case Kind::array:
      return make_array(key);
    case Kind::pair:
    case Kind::item:
      return {call, 0, {id_of({.kind = Kind::value, .shape = key.value}), after_value(key)}};
    case Kind::objects:
    case Kind::arrays:
      break;
  }
  GrammarState all{fork, 0, {}};
  const Shape& shape = shapes_.get(key.shape);
  for (std::size_t i = 0; key.kind == Kind::objects && i < shape.objects.size(); ++i)
    if (!shapes_.is_never(shape.objects[i]))
      all.next.push_back(id_of(begun(key.shape, Kind::object, i)));
  for (std::size_t i = 0; key.kind == Kind::arrays && i < shape.arrays.size(); ++i)
    if (!shapes_.is_never(shape.arrays[i]))
      all.next.push_back(id_of(begun(key.shape, Kind::array, i)));
  return all;
}

// The state after the opening bracket.
JsonGrammar::Key JsonGrammar::begun(ShapeId shape, Kind kind, std::size_t alternative) {
  const Shape& of = shapes_.get(shape);
  return {.kind = kind,
          .shape = shape,
          .alternative = static_cast<int>(alternative),
          .seen = kind == Kind::object ? id_of(Names(of.objects[alternative].named.size() +
                                                     of.objects[alternative].some.size()))
                                       : id_of(Progress(of.arrays[alternative].contains.size())),
          .is_first = true};
}

// The state after the value of a pair or an item.
StateId JsonGrammar::after_value(Key key) {
  key.kind = key.kind == Kind::pair ? Kind::object : Kind::array;
  key.value = 0;
  return id_of(key);
}

// One terminal covers all values that are not arrays or objects, and the opening brackets of arrays
// and objects.
GrammarState JsonGrammar::make_value(const Key& key) {
  RegexSet& r = regexes();
  const Shape& shape = shapes_.get(key.shape);
  std::vector<RegexId> words{shape.number, shape.string};
  if (shape.has_null) words.push_back(r.literal("null"));
  if (shape.has_true) words.push_back(r.literal("true"));
  if (shape.has_false) words.push_back(r.literal("false"));
  std::vector<RegexId> all{r.concat(r.either(std::move(words)), r.tag(0))};
  const auto open = [&](const char* bracket, int tag) {
    all.push_back(r.concat(r.literal(bracket), r.tag(tag)));
  };
  const auto is_some = [this](const auto& one) { return !shapes_.is_never(one); };
  if (std::ranges::any_of(shape.objects, is_some)) open("{", 1);
  if (std::ranges::any_of(shape.arrays, is_some)) open("[", 2);
  return {GrammarState::Kind::scan,
          r.either(std::move(all)),
          {0, id_of({.kind = Kind::objects, .shape = key.shape}),
           id_of({.kind = Kind::arrays, .shape = key.shape})}};
}

bool JsonGrammar::may_close(const ObjectShape& object, const Names& seen, int n_others) const {
  int n = n_others;
  for (std::size_t i = 0; i < object.named.size(); ++i) {
    if (object.named[i].is_required && !seen[i]) return false;
    n += seen[i];
  }
  for (std::size_t i = object.named.size(); i < seen.size(); ++i)
    if (!seen[i]) return false;
  const auto has = [&](const std::string& name) {
    const auto at = object.find(name) - object.named.data();
    return bool{seen[static_cast<std::size_t>(at)]};
  };
  for (const ObjectShape::Dependent& pair : object.dependent)
    if (has(pair.name) && !has(pair.needed)) return false;
  return n >= object.min;
}

// The keys of this kind, except the named keys of the object.
RegexId JsonGrammar::others_of(const ObjectShape& object, const ObjectShape::Others& kind) {
  RegexSet& r = regexes();
  std::vector<RegexId> names;
  for (const ObjectShape::Named& named : object.named)
    names.push_back(string_literal(r, named.name));
  if (names.empty()) return kind.keys;
  return r.both({kind.keys, r.negation(r.either(std::move(names)))});
}

// The end of the object, or a key and its colon. A named key comes at most once. Only the first
// unnamed key counts towards the minimum number of properties, because the next one could be the
// same key.
GrammarState JsonGrammar::make_object(const Key& key) {
  RegexSet& r = regexes();
  const std::vector<ObjectKey>& keys = keys_of(key);
  const ObjectShape& object = object_of(key);
  const Names& seen = names_[static_cast<std::size_t>(key.seen)];
  const std::size_t first_name = keys.size() - object.named.size();
  std::vector<RegexId> texts;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const ObjectKey& one = keys[i];
    if (one.is_named ? seen[i - first_name] || !shapes_.may_come(object, i - first_name)
                     : shapes_.is_never(one.value))
      continue;
    if (has_room_for(object, one, seen, key.count)) texts.push_back(one.text);
  }
  std::vector<RegexId> all;
  if (may_close(object, seen, std::min(key.count, 1)))
    all.push_back(r.concat({space_, r.literal("}"), r.tag(0)}));
  const RegexId before = key.is_first ? space_ : r.concat(r.literal(","), space_);
  if (!texts.empty()) all.push_back(r.concat(before, r.either(std::move(texts))));
  std::vector<StateId> next(1 + keys.size(), kNotMade);
  next[0] = 0;
  return {GrammarState::Kind::scan, r.either(std::move(all)), std::move(next)};
}

// Splits a kind of keys by the `some` of the object that they satisfy.
std::vector<std::pair<RegexId, JsonGrammar::Names>> JsonGrammar::parts_of(
    const ObjectShape& object, const ObjectShape::Others& kind) {
  RegexSet& r = regexes();
  const Names none(object.named.size() + object.some.size());
  std::vector<std::pair<RegexId, Names>> parts{{others_of(object, kind), none}};
  for (std::size_t j = 0; j < object.some.size(); ++j) {
    if (parts.size() > kMaxParts)
      throw ModelError("schema: an object has to have too many kinds of keys");
    for (std::size_t n = parts.size(); n > 0; --n) {
      auto [texts, has] = parts[n - 1];
      parts[n - 1].first = r.both({texts, r.negation(object.some[j])});
      has[object.named.size() + j] = true;
      parts.emplace_back(r.both({texts, object.some[j]}), std::move(has));
    }
    std::erase_if(parts, [&](const auto& part) { return r.is_empty(part.first); });
  }
  return parts;
}

const std::vector<JsonGrammar::ObjectKey>& JsonGrammar::keys_of(const Key& key) {
  std::vector<ObjectKey>& keys = object_keys_[{key.shape, key.alternative}];
  if (!keys.empty()) return keys;
  RegexSet& r = regexes();
  const ObjectShape& object = object_of(key);
  const auto add = [&](RegexId text, ShapeId value, bool is_named, Names has) {
    const RegexId tag = r.tag(1 + static_cast<int>(keys.size()));
    keys.push_back(
        {r.concat({text, r.literal(":"), space_, tag}), value, is_named, std::move(has)});
  };
  for (const ObjectShape::Others& kind : object.others)
    for (auto& [text, has] : parts_of(object, kind)) add(text, kind.value, false, std::move(has));
  const std::size_t n_named = object.named.size();
  for (std::size_t i = 0; i < n_named; ++i) {
    Names has(n_named + object.some.size());
    has[i] = true;
    for (std::size_t j = 0; j < object.some.size(); ++j)
      has[n_named + j] = shapes_.has(object.some[j], object.named[i].name);
    add(string_literal(r, object.named[i].name), object.named[i].value, true, std::move(has));
  }
  return keys;
}

// The state before the value of a key, by the key's tag.
JsonGrammar::Key JsonGrammar::pair_after(const Key& key, int tag) {
  const ObjectKey& one = keys_of(key)[static_cast<std::size_t>(tag - 1)];
  Key pair = key;
  pair.kind = Kind::pair;
  pair.is_first = false;
  pair.value = one.value;
  pair.seen = id_of(joined(names_[static_cast<std::size_t>(key.seen)], one.has));
  if (!one.is_named) pair.count = object_of(key).max != RegexSet::kNoLimit ? key.count + 1 : 1;
  return pair;
}

// Whether there is room for a key and everything that must come after it: needed names, and a key
// for each `some` that none of them satisfies.
bool JsonGrammar::has_room_for(const ObjectShape& object, const ObjectKey& key, const Names& before,
                               int n_others) {
  return object.max == RegexSet::kNoLimit ||
         shapes_.has_room(object, joined(before, key.has), n_others + !key.is_named);
}

bool JsonGrammar::may_close(const ArrayShape& array, const Progress& progress, int n_items) const {
  for (std::size_t i = 0; i < progress.size(); ++i)
    if (progress[i] < array.contains[i].min) return false;
  return n_items >= array.min;
}

ShapeId JsonGrammar::item_shape(const ArrayShape& array, int i) const {
  const auto at = static_cast<std::size_t>(i);
  return at < array.prefix.size() ? array.prefix[at] : array.rest;
}

// Splits each way to read an item by whether it counts for `contains`. If `contains` has a maximum,
// an item must be known to count or not to count.
std::vector<JsonGrammar::ItemWay> JsonGrammar::told_apart(const std::vector<ItemWay>& ways,
                                                          const ArrayShape::Contains& contains,
                                                          std::size_t i) {
  const bool is_limited = contains.max != RegexSet::kNoLimit;
  std::vector<ItemWay> next;
  for (const auto& [shape, progress] : ways) {
    if (!is_limited && progress[i] >= contains.min) {
      next.push_back({shape, progress});
      continue;
    }
    const ShapeId with = shapes_.both(shape, contains.value);
    const bool is_apart = shapes_.is_never(with);
    const ShapeId without =
        is_limited && !is_apart ? shapes_.both(shape, shapes_.negation(contains.value)) : shape;
    if (!shapes_.is_never(without)) next.push_back({without, progress});
    if (is_apart || (is_limited && progress[i] >= contains.max)) continue;
    next.push_back({with, progress});
    ++next.back().progress[i];
  }
  return next;
}

std::vector<StateId> JsonGrammar::items_after(const Key& key) {
  const ArrayShape array = array_of(key);
  if (array.max != RegexSet::kNoLimit && key.count >= array.max) return {};
  std::vector<ItemWay> ways{
      {item_shape(array, key.count), progress_[static_cast<std::size_t>(key.seen)]}};
  // Once no later item is treated differently, the number of items no longer matters.
  auto n_apart = std::max<int>(array.min, static_cast<int>(array.prefix.size()));
  for (std::size_t i = 0; i < array.contains.size(); ++i) {
    n_apart = std::max(n_apart, array.contains[i].from);
    if (key.count >= array.contains[i].from) ways = told_apart(ways, array.contains[i], i);
  }
  const bool counts = array.max != RegexSet::kNoLimit || key.count < n_apart;
  std::vector<StateId> items;
  for (const auto& [shape, progress] : ways) {
    if (shapes_.is_never(shape)) continue;
    Key item = key;
    item.kind = Kind::item;
    item.value = shape;
    item.seen = id_of(progress);
    item.count = counts ? key.count + 1 : key.count;
    item.is_first = false;
    items.push_back(id_of(item));
  }
  return items;
}

GrammarState JsonGrammar::make_array(const Key& key) {
  RegexSet& r = regexes();
  const ArrayShape array = array_of(key);
  const Progress progress = progress_[static_cast<std::size_t>(key.seen)];
  std::vector<RegexId> all;
  if (may_close(array, progress, key.count))
    all.push_back(r.concat({space_, r.literal("]"), r.tag(0)}));
  GrammarState state{GrammarState::Kind::scan, 0, {0}};
  // If there is a maximum of items or of contained items, some items may lead nowhere.
  const bool may_fail = std::ranges::any_of(array.contains, [&](const auto& contains) {
    return array.max != RegexSet::kNoLimit || contains.max != RegexSet::kNoLimit;
  });
  const RegexId before = key.is_first ? space_ : r.concat(r.literal(","), space_);
  for (const StateId item : items_after(key)) {
    if (may_fail && !way_out(item)) continue;
    all.push_back(r.concat(before, r.tag(static_cast<int>(state.next.size()))));
    state.next.push_back(item);
  }
  state.regex = r.either(std::move(all));
  return state;
}

// Returns nullopt if there is no value, or only values that contain themselves without an end.
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
    shortest_.erase(id);  // it may be found later, when the shapes around it are known
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

// Adds the shortest of these keys with a short value. Returns false if there is none.
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

// Adds a property whose key is one of these and needs no other key.
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

// Adds the keys that the object must have by `some` and does not have yet. If the object has a
// maximum, as few keys as possible are added.
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

// Closes an object with what it still needs: needed names, then a key for each `some`, then keys up
// to the minimum.
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

// Estimates how many items are still needed, as if each counted for only one requirement. Items
// before the start of a `contains` are added.
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

// Searches over the states of the array, item by item: first the states that need the fewest items,
// and among them the shortest text.
Text JsonGrammar::close_array(const Key& key) {
  constexpr std::size_t kMany = 10'000;
  struct Step {
    StateId at;
    std::size_t before;
    ShapeId item;  // whose shortest value is written
  };
  std::vector<Step> steps{{id_of(key), 0, Shapes::kAny}};
  // By needed items, then bytes, then step.
  std::set<std::tuple<int, std::size_t, std::size_t>> open{{n_needed(key), 0, 0}};
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
