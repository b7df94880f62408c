// SPDX-License-Identifier: MIT
// Sets of JSON values, with intersection, union and complement: what a JSON Schema comes to.
//
// The types of JSON are apart from each other, so a set has a part for each: texts for numbers and
// strings, lists of alternatives for arrays and objects. Sets are named by numbers and worked out
// when somebody looks, so that they can contain themselves.
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

// A set was looked at while it was being worked out.
class EndlessReference : public ModelError {
 public:
  using ModelError::ModelError;
};

// Throws the fault again, saying where in the schema it is, unless it does so already.
[[noreturn]] void rethrow_at(std::string_view pointer, const ModelError& fault);

struct ArrayShape {
  struct Contains {
    ShapeId value;
    int min = 1;
    int max = RegexSet::kNoLimit;
    int from = 0;  // of the items from this one on
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
  // Keys that have no name of their own. The languages of the kinds are apart from each other, of
  // plain strings with their quotation marks; names are left out when they are read.
  struct Others {
    RegexId keys;
    ShapeId value;
    bool operator==(const Others&) const = default;
  };
  // Who has one of these keys has the others.
  struct Dependent {
    std::string name;
    std::string needed;
    bool operator==(const Dependent&) const = default;
  };
  std::vector<Named> named = {};
  std::vector<Others> others = {};
  std::vector<Dependent> dependent = {};
  std::vector<RegexId> some = {};  // of each of these languages it has a key
  int min = 0;
  int max = RegexSet::kNoLimit;
  bool operator==(const ObjectShape&) const = default;

  const Named* find(std::string_view name) const noexcept;
  // Of the named ones, those that have to come: what is required, and what others need that have to
  // come or are among the first of `seen`.
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

  std::size_t n_parts() const noexcept;  // what copying it costs
};

class Shapes {
 public:
  static constexpr ShapeId kAny = 0;
  static constexpr ShapeId kNever = 1;

  explicit Shapes(RegexSet& regexes);

  ShapeId add(Shape shape);
  // Worked out when it is first looked at.
  ShapeId later(std::function<Shape()> make);
  ShapeId both(ShapeId a, ShapeId b);
  ShapeId either(std::vector<ShapeId> of);
  ShapeId negation(ShapeId a);

  // Borrowed; valid as long as the object. Throws EndlessReference where a set is said to be
  // itself, ModelError where it cannot be worked out.
  const Shape& get(ShapeId id);
  // Whether no value is in it; false where that depends on what is being worked out.
  bool is_never(ShapeId id);
  bool is_never(const Shape& shape);
  bool is_never(const ArrayShape& array);
  bool is_never(const ObjectShape& object);
  // Whether an object can have the named key of this number, and what that one needs.
  bool may_come(const ObjectShape& object, std::size_t name);
  // Languages of keys with which an object has one of each of these, as few as are known to do; a
  // key of each needs no other one. nullopt: none are known.
  std::optional<std::vector<RegexId>> fewest_keys(const ObjectShape& object,
                                                  const std::vector<RegexId>& some);
  // Whether an object with these keys (of the named ones, then of each `some`) and so many others
  // has room for what it must have yet.
  bool has_room(const ObjectShape& object, const std::vector<bool>& seen, int n_others);

  const Shape& any() { return get(kAny); }
  // Any object, any array.
  const ObjectShape& any_object() { return any().objects.front(); }
  const ArrayShape& any_array() { return any().arrays.front(); }
  Shape intersect(const Shape& a, const Shape& b);
  Shape unite(const Shape& a, const Shape& b);
  // The value that an object's key has: by name, or as one of the others.
  ShapeId value_of(const ObjectShape& object, std::string_view name);
  // Whether a name is in a language of keys.
  bool has(RegexId keys, std::string_view name);
  RegexSet& regexes() noexcept { return regexes_; }
  Effort& effort() noexcept { return regexes_.effort(); }
  // Where in the schema the sets are from that are made now: their faults say so. Borrowed.
  std::string_view& pointer() noexcept { return pointer_; }
  std::string_view pointer_of(ShapeId id) { return entry(id).pointer; }

 private:
  struct Entry {
    std::optional<Shape> shape = {};
    std::function<Shape()> make = {};
    bool is_open = false;   // it is being worked out
    bool is_asked = false;  // whether it is empty
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
  std::size_t n_asked_ = 0;    // times, about sets that were not known yet
  std::size_t n_guesses_ = 0;  // answers that took for granted that there are values
  std::map<std::pair<ShapeId, ShapeId>, ShapeId> both_;
  std::map<ShapeId, ShapeId> negations_;
};

}  // namespace confab::engine
