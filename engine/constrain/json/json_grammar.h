// SPDX-License-Identifier: MIT
// JSON texts of the values of a set, as a grammar whose states are made while somebody reads: an
// object's state knows which keys it has, so that they may come in any order and none comes twice.
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
  // `shapes` is over these regular expressions; it is of the grammar from now on, and whatever it
  // needs to work out its sets is kept by `owner`.
  JsonGrammar(RegexSet& regexes, std::shared_ptr<void> owner, Shapes& shapes, ShapeId root);

  StateId start() const override { return start_; }
  const GrammarState& state(StateId id) override;
  StateId after_scan(StateId scan, int tag) override;
  std::optional<std::string> way_out(StateId id) override;

 private:
  enum class Kind { end, value, objects, arrays, object, array, pair, item };
  // What a state is of.
  struct Key {
    Kind kind;
    ShapeId shape = 0;
    int alternative = 0;  // object, array
    int seen = 0;         // object: the names and `some` that it has; array: what it contains
    int count = 0;        // object: other keys so far; array: items so far
    int value = 0;        // pair, item: the shape that comes
    bool is_first = false;
    auto operator<=>(const Key&) const = default;
  };
  using Names = std::vector<bool>;  // of an object's named, then of its `some`
  using Progress = std::vector<int>;

  StateId id_of(const Key& key);
  int id_of(const Names& names);
  int id_of(const Progress& progress);
  GrammarState make(const Key& key);
  GrammarState make_value(const Key& key);
  GrammarState make_object(const Key& key);
  // What may be read before a value, with its colon and its tag, and what the object has then.
  struct ObjectKey {
    RegexId text;
    ShapeId value;
    bool is_named;
    Names has;
  };
  // Other kinds than names, then the names; the tag of each is one more than its place, the same in
  // all states of the object. Borrowed until the next call.
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
  // What is written to close an object.
  struct ObjectEnd {
    const ObjectShape& object;
    Names seen;
    bool has_other;  // a key without a name
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
  std::vector<Key> keys_;                            // of the states
  std::vector<std::optional<GrammarState>> states_;  // as far as they are made
  std::map<Key, StateId> ids_;
  std::vector<Names> names_;
  std::unordered_map<Names, int> names_ids_;
  std::vector<Progress> progress_;
  std::map<Progress, int> progress_ids_;
  std::map<ShapeId, std::optional<std::string>> shortest_;
  std::map<std::pair<ShapeId, int>, std::vector<ObjectKey>> object_keys_;  // shape, alternative
};

}  // namespace confab::engine
