// SPDX-License-Identifier: MIT
#include "engine/constrain/json/json_grammar.h"

#include <algorithm>
#include <utility>

#include "engine/constrain/json/json_text.h"
#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxStates = 2'000'000;
constexpr StateId kNotMade = -1;

template <class Value, class Ids>
int interned(const Value& value, std::vector<Value>& values, Ids& ids) {
  const auto [at, is_new] = ids.try_emplace(value, static_cast<int>(values.size()));
  if (is_new) values.push_back(value);
  return at->second;
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
    case Kind::item: {
      Key then = key;
      then.kind = key.kind == Kind::pair ? Kind::object : Kind::array;
      then.value = 0;
      return {call, 0, {id_of({.kind = Kind::value, .shape = key.value}), id_of(then)}};
    }
    case Kind::objects:
    case Kind::arrays:
      break;
  }
  GrammarState all{fork, 0, {}};
  const Shape& shape = shapes_.get(key.shape);
  const bool is_object = key.kind == Kind::objects;
  const std::size_t n = is_object ? shape.objects.size() : shape.arrays.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (is_object ? shapes_.is_never(shape.objects[i]) : shapes_.is_never(shape.arrays[i]))
      continue;
    Key one{.kind = is_object ? Kind::object : Kind::array,
            .shape = key.shape,
            .alternative = static_cast<int>(i),
            .is_first = true};
    one.seen = is_object ? id_of(Names(shape.objects[i].named.size()))
                         : id_of(Progress(shape.arrays[i].contains.size()));
    all.next.push_back(id_of(one));
  }
  return all;
}

// All that is not an array or an object is one terminal, and so is how these begin.
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
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (object.named[i].is_required && !seen[i]) return false;
    n += seen[i];
  }
  const auto has = [&](const std::string& name) {
    const auto at = object.find(name) - object.named.data();
    return bool{seen[static_cast<std::size_t>(at)]};
  };
  for (const ObjectShape::Dependent& pair : object.dependent)
    if (has(pair.name) && !has(pair.needed)) return false;
  return n >= object.min;
}

// Keys of this kind, without those that have a name.
RegexId JsonGrammar::others_of(const ObjectShape& object, const ObjectShape::Others& kind) {
  RegexSet& r = regexes();
  std::vector<RegexId> names;
  for (const ObjectShape::Named& named : object.named)
    names.push_back(string_literal(r, named.name));
  if (names.empty()) return kind.keys;
  return r.both({kind.keys, r.negation(r.either(std::move(names)))});
}

// The end, or a key and its colon. A name comes once; of other keys only the first counts for the
// least number of properties, as the next could be the same one.
GrammarState JsonGrammar::make_object(const Key& key) {
  RegexSet& r = regexes();
  const std::vector<RegexId>& texts = key_texts(key);
  const ObjectShape& object = object_of(key);
  const Names& seen = names_[static_cast<std::size_t>(key.seen)];
  int n_left = RegexSet::kNoLimit, n_missing = 0;
  if (object.max != RegexSet::kNoLimit)
    n_left = object.max - static_cast<int>(std::ranges::count(seen, true)) - key.count;
  for (std::size_t i = 0; i < seen.size(); ++i)
    n_missing += object.named[i].is_required && !seen[i];
  const bool has_spare = n_left == RegexSet::kNoLimit || n_left > n_missing;
  const std::size_t n_others = object.others.size();
  std::vector<RegexId> keys;
  for (std::size_t i = 0; has_spare && i < n_others; ++i)
    if (!shapes_.is_never(object.others[i].value)) keys.push_back(texts[i]);
  for (std::size_t i = 0; n_left != 0 && i < seen.size(); ++i) {
    const ObjectShape::Named& named = object.named[i];
    if (!seen[i] && (named.is_required || has_spare) && !shapes_.is_never(named.value))
      keys.push_back(texts[n_others + i]);
  }
  std::vector<RegexId> all;
  if (may_close(object, seen, std::min(key.count, 1)))
    all.push_back(r.concat({space_, r.literal("}"), r.tag(0)}));
  const RegexId before = key.is_first ? space_ : r.concat(r.literal(","), space_);
  if (!keys.empty()) all.push_back(r.concat(before, r.either(std::move(keys))));
  std::vector<StateId> next(1 + texts.size(), kNotMade);
  next[0] = 0;
  return {GrammarState::Kind::scan, r.either(std::move(all)), std::move(next)};
}

const std::vector<RegexId>& JsonGrammar::key_texts(const Key& key) {
  std::vector<RegexId>& texts = key_texts_[{key.shape, key.alternative}];
  if (!texts.empty()) return texts;
  RegexSet& r = regexes();
  const ObjectShape& object = object_of(key);
  const auto add = [&](RegexId text) {
    const RegexId tag = r.tag(1 + static_cast<int>(texts.size()));
    texts.push_back(r.concat({text, r.literal(":"), space_, tag}));
  };
  for (const ObjectShape::Others& kind : object.others) add(others_of(object, kind));
  for (const ObjectShape::Named& named : object.named) add(string_literal(r, named.name));
  return texts;
}

// The value of a key, by the key's tag.
JsonGrammar::Key JsonGrammar::pair_after(const Key& key, int tag) {
  const ObjectShape& object = object_of(key);
  const auto at = static_cast<std::size_t>(tag - 1);
  Key pair = key;
  pair.kind = Kind::pair;
  pair.is_first = false;
  if (at < object.others.size()) {
    pair.value = object.others[at].value;
    pair.count = object.max != RegexSet::kNoLimit ? key.count + 1 : 1;
    return pair;
  }
  const std::size_t name = at - object.others.size();
  pair.value = object.named[name].value;
  Names names = names_[static_cast<std::size_t>(key.seen)];
  names[name] = true;
  pair.seen = id_of(names);
  return pair;
}

bool JsonGrammar::may_close(const ArrayShape& array, const Progress& progress, int n_items) const {
  for (std::size_t i = 0; i < progress.size(); ++i)
    if (progress[i] < array.contains[i].min) return false;
  return n_items >= array.min;
}

// Whether what it must contain can still come after so many items.
bool JsonGrammar::has_room_after(const ArrayShape& array, const Progress& progress,
                                 int n_items) const {
  if (array.max == RegexSet::kNoLimit) return true;
  for (std::size_t i = 0; i < progress.size(); ++i)
    if (array.contains[i].min - progress[i] > array.max - n_items) return false;
  return true;
}

ShapeId JsonGrammar::item_shape(const ArrayShape& array, int i) const {
  const auto at = static_cast<std::size_t>(i);
  return at < array.prefix.size() ? array.prefix[at] : array.rest;
}

// The item that comes next, as one of those that the array must contain or not. Where there is a
// most, it has to be known which.
std::vector<StateId> JsonGrammar::items_after(const Key& key) {
  const ArrayShape array = array_of(key);
  std::vector<std::pair<ShapeId, Progress>> ways{
      {item_shape(array, key.count), progress_[static_cast<std::size_t>(key.seen)]}};
  for (std::size_t i = 0; i < array.contains.size(); ++i) {
    const auto& [value, min, max] = array.contains[i];
    const bool is_limited = max != RegexSet::kNoLimit;
    std::vector<std::pair<ShapeId, Progress>> next;
    for (const auto& [shape, progress] : ways) {
      next.emplace_back(is_limited ? shapes_.both(shape, shapes_.negation(value)) : shape,
                        progress);
      const int most = is_limited ? max : min;
      if (progress[i] >= most) continue;
      Progress more = progress;
      ++more[i];
      next.emplace_back(shapes_.both(shape, value), std::move(more));
    }
    ways = std::move(next);
  }
  // Past all that is told apart, the number of items does not matter.
  const auto n_apart = std::max<int>(array.min, static_cast<int>(array.prefix.size()));
  const bool counts = array.max != RegexSet::kNoLimit || key.count < n_apart;
  std::vector<StateId> items;
  for (const auto& [shape, progress] : ways) {
    if (shapes_.is_never(shape) || !has_room_after(array, progress, key.count + 1)) continue;
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
  const bool has_room = array.max == RegexSet::kNoLimit || key.count < array.max;
  if (has_room) {
    const RegexId before = key.is_first ? space_ : r.concat(r.literal(","), space_);
    for (const StateId item : items_after(key)) {
      all.push_back(r.concat(before, r.tag(static_cast<int>(state.next.size()))));
      state.next.push_back(item);
    }
  }
  state.regex = r.either(std::move(all));
  return state;
}

}  // namespace confab::engine
