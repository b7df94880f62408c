// SPDX-License-Identifier: MIT
// Sets of JSON values, with intersection, union and complement. A JSON Schema describes such a set.
//
// The types of JSON are disjoint, so a set has a part for each type: languages for numbers and
// strings, lists of alternatives for arrays and objects. Sets are named by ids and computed when
// they are first read, so that they can contain themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/constrain/regex.h"
#include "engine/error.h"

namespace confab::engine {

using ShapeId = std::int32_t;

// A set was read while it was being computed.
class EndlessReference : public ModelError {
 public:
  using ModelError::ModelError;
};

// Rethrows the fault with its place in the schema, unless it already has one.
[[noreturn]] void rethrow_at(std::string_view pointer, const ModelError& fault);

struct ArrayShape {
  struct Contains {
    ShapeId value;
    int min = 1;
    int max = RegexSet::kNoLimit;
    int from = 0;  // counts only items from this index on
    bool operator==(const Contains&) const = default;
  };
  std::vector<ShapeId> prefix = {};
  ShapeId rest;
  int min = 0;
  int max = RegexSet::kNoLimit;
  std::vector<Contains> contains = {};
  bool operator==(const ArrayShape&) const = default;
};

struct ObjectShape {
  struct Named {
    std::string name;
    ShapeId value;
    bool is_required = false;
    bool operator==(const Named&) const = default;
  };
  // A kind of keys that are not named. The languages of the kinds are disjoint, and consist of
  // plain strings with their quotation marks. Named keys are excluded when a text is read.
  struct Others {
    RegexId keys;
    ShapeId value;
    bool operator==(const Others&) const = default;
  };
  // An object that has the key `name` must also have the key `needed`.
  struct Dependent {
    std::string name;
    std::string needed;
    bool operator==(const Dependent&) const = default;
  };
  std::vector<Named> named = {};
  std::vector<Others> others = {};
  std::vector<Dependent> dependent = {};
  std::vector<RegexId> some = {};  // it must have a key of each of these languages
  int min = 0;
  int max = RegexSet::kNoLimit;
  bool operator==(const ObjectShape&) const = default;

  const Named* find(std::string_view name) const noexcept;
  // Which of the named keys must come: the required keys, and the keys needed by a key that must
  // come or is set in `seen`. `seen` begins with the named keys.
  std::vector<bool> needed_names(const std::vector<bool>& seen) const;
};

struct Shape {
  bool has_null = false;
  bool has_true = false;
  bool has_false = false;
  RegexId number = RegexSet::kNothing;
  RegexId string = RegexSet::kNothing;
  std::vector<ArrayShape> arrays = {};
  std::vector<ObjectShape> objects = {};

  std::size_t n_parts() const noexcept;  // the cost of copying it
};

class Shapes {
 public:
  static constexpr ShapeId kAny = 0;
  static constexpr ShapeId kNever = 1;

  explicit Shapes(RegexSet& regexes);

  ShapeId add(Shape shape);
  // A set that is computed when it is first read.
  ShapeId later(std::function<Shape()> make);
  ShapeId both(ShapeId a, ShapeId b);
  ShapeId either(std::vector<ShapeId> of);
  ShapeId negation(ShapeId a);

  // The reference is valid as long as the object. Throws EndlessReference if a set is defined as
  // itself, and ModelError if it cannot be computed.
  const Shape& get(ShapeId id);
  // Whether the set is empty. Returns false if that depends on a set that is being computed.
  bool is_never(ShapeId id);
  bool is_never(const Shape& shape);
  bool is_never(const ArrayShape& array);
  bool is_never(const ObjectShape& object);
  // Whether an object can have the named key of index `name`, and everything that this key needs.
  bool may_come(const ObjectShape& object, std::size_t name);
  // The fewest known languages of keys that give an object a key of each language in `some`. Each
  // has a key that needs no other key. Returns nullopt if none are known.
  std::optional<std::vector<RegexId>> fewest_keys(const ObjectShape& object,
                                                  const std::vector<RegexId>& some);
  // Whether an object with the keys in `seen` (by named key, then by `some`) and n_others other
  // keys has room for everything that it still must have.
  bool has_room(const ObjectShape& object, const std::vector<bool>& seen, int n_others);

  const Shape& any() { return get(kAny); }
  // The shape of any object, and of any array.
  const ObjectShape& any_object() { return any().objects.front(); }
  const ArrayShape& any_array() { return any().arrays.front(); }
  Shape intersect(const Shape& a, const Shape& b);
  Shape unite(const Shape& a, const Shape& b);
  // The set of values of an object's key, as a named key or as one of the others.
  ShapeId value_of(const ObjectShape& object, std::string_view name);
  // Whether a name is in a language of keys.
  bool has(RegexId keys, std::string_view name);
  RegexSet& regexes() noexcept { return regexes_; }
  Effort& effort() noexcept { return regexes_.effort(); }
  // The place in the schema of the sets that are made now. It appears in their faults. Borrowed.
  std::string_view& pointer() noexcept { return pointer_; }
  std::string_view pointer_of(ShapeId id) { return entry(id).pointer; }

 private:
  struct Entry {
    std::optional<Shape> shape = {};
    std::function<Shape()> make = {};
    bool is_open = false;   // it is being computed
    bool is_asked = false;  // is_never() is being computed
    std::optional<bool> is_never = {};
    std::string_view pointer = {};
  };
  template <class Part>
  void add_alternative(std::vector<Part>& alternatives, Part part);
  std::vector<ArrayShape> intersect(const std::vector<ArrayShape>& a,
                                    const std::vector<ArrayShape>& b);
  std::vector<ObjectShape> intersect(const std::vector<ObjectShape>& a,
                                     const std::vector<ObjectShape>& b);
  Shape complement(const Shape& of);
  std::optional<ArrayShape> intersect(const ArrayShape& a, const ArrayShape& b);
  std::optional<ObjectShape> intersect(const ObjectShape& a, const ObjectShape& b);
  std::vector<ArrayShape> complement(const ArrayShape& of);
  std::vector<ObjectShape> complement(const ObjectShape& of);
  RegexId keys_outside(const ObjectShape& of);
  bool find_never(ShapeId id, bool& depends);
  bool find_never(const Shape& shape, bool& depends);
  bool find_never(const ArrayShape& array, bool& depends);
  bool has_room_for(const ArrayShape& array, const ArrayShape::Contains& such, bool& depends);
  std::vector<std::size_t> limited_kinds(const ArrayShape& array, bool& depends);
  std::optional<std::vector<std::size_t>> kinds_at(const ArrayShape& array,
                                                   std::vector<std::size_t> kinds, std::size_t at,
                                                   bool& depends);
  bool has_places(const ArrayShape& array, bool& depends);
  bool find_never(const ObjectShape& object, bool& depends);
  bool may_come(const ObjectShape& object, std::size_t name, bool& depends);
  bool may_have(const ObjectShape& object, RegexId keys, bool& depends);
  bool has_room(const ObjectShape& object, const std::vector<bool>& seen, int n_others,
                bool& depends);
  std::optional<std::vector<RegexId>> fewest_keys(const ObjectShape& object,
                                                  const std::vector<RegexId>& some, bool& depends);
  bool may_have_alone(const ObjectShape& object, RegexId keys, bool& depends);
  RegexId explored(RegexId numbers);
  Entry& entry(ShapeId id) { return *entries_[static_cast<std::size_t>(id)]; }

  RegexSet& regexes_;
  std::string_view pointer_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::size_t n_asked_ = 0;    // questions about sets that were not known yet
  std::size_t n_guesses_ = 0;  // answers that assumed that a set has values
  std::map<std::pair<ShapeId, ShapeId>, ShapeId> both_;
  std::map<ShapeId, ShapeId> negations_;
};

}  // namespace confab::engine
