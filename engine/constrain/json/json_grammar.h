// SPDX-License-Identifier: MIT
// A grammar of the JSON texts of a set of values. Its states are made while a text is read: the
// state of an object knows which keys have come, so that they may come in any order but not twice.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/constrain/grammar.h"
#include "engine/constrain/json/json_shape.h"

namespace confab::engine {

class JsonGrammar final : public Grammar {
 public:
  // `shapes` must be over these regular expressions, and from now on only the grammar uses it.
  // `owner` keeps it alive, with everything that it needs to compute its sets.
  JsonGrammar(RegexSet& regexes, std::shared_ptr<void> owner, Shapes& shapes, ShapeId root);

  StateId start() const override { return start_; }
  const GrammarState& state(StateId id) override;
  StateId after_scan(StateId scan, int tag) override;
  std::optional<std::string> way_out(StateId id) override;

 private:
  enum class Kind { end, value, objects, arrays, object, array, pair, item };
  // The meaning of a state.
  struct Key {
    Kind kind;
    ShapeId shape = 0;
    int alternative = 0;  // object, array
    int seen = 0;         // object: the id of its Names; array: the id of its Progress
    int count = 0;        // object: other keys so far; array: items so far
    int value = 0;        // pair, item: the shape of the value
    bool is_first = false;
    auto operator<=>(const Key&) const = default;
  };
  using Names = std::vector<bool>;  // by the object's named keys, then by its `some`
  using Progress = std::vector<int>;

  StateId id_of(const Key& key);
  int id_of(const Names& names);
  int id_of(const Progress& progress);
  GrammarState make(const Key& key);
  GrammarState make_value(const Key& key);
  GrammarState make_object(const Key& key);
  // A key that may come, with its colon and its tag, and what the object has after it.
  struct ObjectKey {
    RegexId text;
    ShapeId value;
    bool is_named;
    Names has;
  };
  // The kinds of unnamed keys, then the named keys. The tag of each is its index plus one, in all
  // states of the object. Borrowed until the next call.
  const std::vector<ObjectKey>& keys_of(const Key& key);
  std::vector<std::pair<RegexId, Names>> parts_of(const ObjectShape& object,
                                                  const ObjectShape::Others& kind);
  Key pair_after(const Key& key, int tag);
  bool has_room_for(const ObjectShape& object, const ObjectKey& key, const Names& before,
                    int n_others);
  GrammarState make_array(const Key& key);
  Key begun(ShapeId shape, Kind kind, std::size_t alternative);
  StateId after_value(Key key);
  const ObjectShape& object_of(const Key& key) {
    return shapes_.get(key.shape).objects[static_cast<std::size_t>(key.alternative)];
  }
  const ArrayShape& array_of(const Key& key) {
    return shapes_.get(key.shape).arrays[static_cast<std::size_t>(key.alternative)];
  }
  bool may_close(const ObjectShape& object, const Names& seen, int n_others) const;
  bool may_close(const ArrayShape& array, const Progress& progress, int n_items) const;
  RegexId others_of(const ObjectShape& object, const ObjectShape::Others& kind);
  struct ItemWay {
    ShapeId shape;
    Progress progress;
  };
  std::vector<ItemWay> told_apart(const std::vector<ItemWay>& ways,
                                  const ArrayShape::Contains& contains, std::size_t i);
  std::vector<StateId> items_after(const Key& key);
  ShapeId item_shape(const ArrayShape& array, int i) const;
  std::optional<std::string> shortest(ShapeId shape);
  std::optional<std::string> find_shortest(ShapeId shape);
  // The text that closes an object, and the state of the object while it is written.
  struct ObjectEnd {
    const ObjectShape& object;
    Names seen;
    bool has_other;  // it has an unnamed key
    bool is_first;
    std::string text;
  };
  bool add_pair(ObjectEnd& end, RegexId keys, ShapeId shape);
  bool add_named(ObjectEnd& end, std::size_t i);
  bool add_some(ObjectEnd& end, RegexId keys);
  bool add_missing(ObjectEnd& end);
  std::optional<std::string> close_object(const Key& key);
  int n_needed(const Key& key);
  std::optional<std::string> close_array(const Key& key);

  std::shared_ptr<void> owner_;
  Shapes& shapes_;
  RegexId space_;
  StateId start_;
  std::vector<Key> keys_;                            // [states]
  std::vector<std::optional<GrammarState>> states_;  // [states], as far as they are made
  std::map<Key, StateId> ids_;
  std::vector<Names> names_;
  std::unordered_map<Names, int> names_ids_;
  std::vector<Progress> progress_;
  std::map<Progress, int> progress_ids_;
  std::map<ShapeId, std::optional<std::string>> shortest_;
  std::map<std::pair<ShapeId, int>, std::vector<ObjectKey>> object_keys_;  // shape, alternative
};

}  // namespace confab::engine
