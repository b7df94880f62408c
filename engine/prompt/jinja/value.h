// SPDX-License-Identifier: MIT
// The values of a template: Python's None, bool, int, float, str, list, tuple, dict and callables.
//
// Values are immutable and shared; only objects (a namespace, a loop) change. Containers know how
// deep they nest and refuse to nest deeper than kMaxNesting, so that no walk over a value can
// exhaust the stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/prompt/jinja/text.h"

namespace confab::engine::jinja {

class Runtime;
class Object;
class Value;
struct Arguments;
struct Callable;
struct Dict;
struct List;

// Jinja's default Undefined: prints as nothing, is false and empty; other uses fail with `message`.
struct Undefined {
  std::shared_ptr<const std::string> message;
  bool absent = false;
};
struct None {};

class Value {
 public:
  Value() : data_(None{}) {}
  Value(bool value) : data_(value) {}
  Value(std::int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(std::shared_ptr<const Text> text) : data_(std::move(text)) {}
  Value(std::shared_ptr<const List> list) : data_(std::move(list)) {}
  Value(std::shared_ptr<const Dict> dict) : data_(std::move(dict)) {}
  Value(std::shared_ptr<const Callable> callable) : data_(std::move(callable)) {}
  Value(Object& object) : data_(&object) {}
  Value(Undefined undefined) : data_(std::move(undefined)) {}
  template <class T>
  Value(const T*) = delete;  // would be a bool

  static Value undefined(std::string message);
  // Text of the template, or of the program: not marked.
  static Value plain(std::string bytes);

  bool is_undefined() const noexcept { return holds<Undefined>(); }
  bool is_none() const noexcept { return holds<None>(); }
  bool is_bool() const noexcept { return holds<bool>(); }
  // int and float are Python's: is_integer() is false of a bool, number() takes it as 0 or 1.
  bool is_integer() const noexcept { return holds<std::int64_t>(); }
  bool is_float() const noexcept { return holds<double>(); }
  bool is_number() const noexcept { return is_bool() || is_integer() || is_float(); }
  bool is_text() const noexcept { return holds<std::shared_ptr<const Text>>(); }

  // Precondition: the value is of that kind.
  const Text& text() const { return *std::get<std::shared_ptr<const Text>>(data_); }
  const std::string& undefined_message() const { return *std::get<Undefined>(data_).message; }
  double number() const;
  // An int, or a bool as 0 or 1.
  std::optional<std::int64_t> integer() const noexcept;

  // Null when the value is of another kind.
  const List* list() const noexcept;
  const Dict* dict() const noexcept;
  const Callable* callable() const noexcept;
  Object* object() const noexcept;

  // Python's bool(): empty things and zeros are false.
  bool truth() const noexcept;
  // Python's type name, as its error messages have it ("str", "NoneType").
  std::string_view type_name() const noexcept;
  // How many containers are nested in one another; 0 when it is none.
  int depth() const noexcept;

  // Python's `is`: the same thing, not merely an equal one.
  friend bool same(const Value& a, const Value& b) noexcept;
  friend bool is_none_or_absent(const Value& value) noexcept;

 private:
  template <class T>
  bool holds() const noexcept {
    return std::holds_alternative<T>(data_);
  }

  std::variant<Undefined, None, bool, std::int64_t, double, std::shared_ptr<const Text>,
               std::shared_ptr<const List>, std::shared_ptr<const Dict>,
               std::shared_ptr<const Callable>, Object*>
      data_;
};

// A variable that nobody has set.
Value undefined_name(std::string_view name);
// A variable that the request could have but has not. Undefined, but `is none` holds too:
// transformers passes None for it, other programs nothing, and templates ask either way.
Value absent(std::string_view name);

// A view is what dict.items() gives, a generator what map() does: to be looped over, not indexed; a
// generator has no length and is always true. A range can be indexed, and no more.
enum class ListKind { list, tuple, range, view, generator };

struct List {
  std::vector<Value> items;
  ListKind kind = ListKind::list;
  int depth = 1;
  std::string shown_as = {};  // a view's type ("dict_keys"), all of a range ("range(0, 5)")
  bool is_group = false;      // a tuple of `groupby`: its items are .grouper and .list too
};

struct Dict {
  std::vector<std::pair<Value, Value>> items;  // in order of insertion
  // By hash_key(). No hash table: a template could choose keys that all fall into one place.
  std::map<std::string, std::size_t> index;
  int depth = 1;

  // Null when there is no such key.
  const Value* find(std::string_view text_key) const;
  const Value* find_hashed(const std::string& hash_key) const;
};

class DictBuilder {
 public:
  // Replaces the value of a key that is there already. Throws ModelError for a key that cannot be
  // hashed (a list, a dict).
  void set(Runtime& runtime, const Value& key, Value value);
  void set(Text key, Value value);
  std::size_t size() const noexcept { return dict_.items.size(); }
  Dict take() && { return std::move(dict_); }

 private:
  void set_hashed(std::string hash_key, Value key, Value value);

  Dict dict_;
};

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

struct Callable {
  using Function = std::function<Value(Runtime&, const Arguments&)>;
  std::string name;
  Function function;
  int depth = 0;  // of what it is bound to
};

// A thing that changes while the template runs. Owned by the Runtime.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string_view type_name() const noexcept = 0;
  // Null when there is no such attribute.
  virtual std::optional<Value> attribute(Runtime& runtime, std::string_view name) = 0;
  // Empty when the object cannot be called.
  virtual std::optional<Value> call(Runtime& /*runtime*/, const Arguments& /*arguments*/) {
    return std::nullopt;
  }
  virtual bool can_assign() const noexcept { return false; }
  // Precondition: can_assign().
  virtual void assign(std::string_view /*name*/, Value /*value*/) {}
};

// Python's ==. Counts its work, as do the following.
bool equal(Runtime& runtime, const Value& a, const Value& b);
// Python's <. Throws ModelError for kinds that have no order.
bool less(Runtime& runtime, const Value& a, const Value& b);
// A string that is the same for equal keys. Throws ModelError for what cannot be hashed.
std::string hash_key(Runtime& runtime, const Value& value);
// What a for loop takes from the value: elements, keys, characters. Throws ModelError when it
// cannot be looped over.
std::vector<Value> elements(Runtime& runtime, const Value& value);
// Python's len(); empty for what has none.
std::optional<std::size_t> length(Runtime& runtime, const Value& value);
// Python's `item in container`.
bool contains(Runtime& runtime, const Value& container, const Value& item);

}  // namespace confab::engine::jinja
