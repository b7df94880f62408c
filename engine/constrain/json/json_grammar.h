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
  std::string way_out(StateId id) override;

 private:
  enum class Kind { end, value, objects, arrays, object, array, pair, item };
  // What a state is of.
  struct Key {
    Kind kind;
    ShapeId shape = 0;
    int alternative = 0;  // object, array
    int seen = 0;         // object: the set of names; array: the progress of what it contains
    int count = 0;        // object: other keys so far; array: items so far
    int value = 0;        // pair, item: the shape that comes
    bool is_first = false;
    auto operator<=>(const Key&) const = default;
  };
  using Names = std::vector<bool>;
  using Progress = std::vector<int>;

  StateId id_of(const Key& key);
  int id_of(const Names& names);
  int id_of(const Progress& progress);
  GrammarState make(const Key& key);
  GrammarState make_value(const Key& key);
  GrammarState make_object(const Key& key);
  // Keys with their colons: other kinds than names, then the names; the tag of each is one more
  // than its place, the same in all states of the object. Borrowed until the next call.
  const std::vector<RegexId>& key_texts(const Key& key);
  Key pair_after(const Key& key, int tag);
  GrammarState make_array(const Key& key);
  const ObjectShape& object_of(const Key& key) {
    return shapes_.get(key.shape).objects[static_cast<std::size_t>(key.alternative)];
  }
  const ArrayShape& array_of(const Key& key) {
    return shapes_.get(key.shape).arrays[static_cast<std::size_t>(key.alternative)];
  }
  bool may_close(const ObjectShape& object, const Names& seen, int n_others) const;
  bool may_close(const ArrayShape& array, const Progress& progress, int n_items) const;
  RegexId others_of(const ObjectShape& object, const ObjectShape::Others& kind);
  std::vector<StateId> items_after(const Key& key);
  bool has_room_after(const ArrayShape& array, const Progress& progress, int n_items) const;
  ShapeId item_shape(const ArrayShape& array, int i) const;
  std::optional<std::string> shortest(ShapeId shape);
  std::optional<std::string> shortest(const ObjectShape& of);
  std::optional<std::string> shortest(const ArrayShape& array);
  std::optional<std::string> close_object(const Key& key);
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
  std::map<RegexId, RegexId> key_languages_;
  std::map<std::pair<ShapeId, int>, std::vector<RegexId>> key_texts_;  // by shape and alternative
};

}  // namespace confab::engine
