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

// Jinja's default Undefined. It prints as nothing and is false and empty; any other use fails with
// `message`.
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
  Value(const T*) = delete;  // would become a bool

  static Value undefined(std::string message);
  // Text from the template or from our code. It is not marked.
  static Value plain(std::string bytes);

  bool is_undefined() const noexcept { return holds<Undefined>(); }
  bool is_none() const noexcept { return holds<None>(); }
  bool is_bool() const noexcept { return holds<bool>(); }
  // int and float are Python's. is_integer() is false for a bool, but number() and integer() take a
  // bool as 0 or 1.
  bool is_integer() const noexcept { return holds<std::int64_t>(); }
  bool is_float() const noexcept { return holds<double>(); }
  bool is_number() const noexcept { return is_bool() || is_integer() || is_float(); }
  bool is_text() const noexcept { return holds<std::shared_ptr<const Text>>(); }

  // Precondition: the value is of that kind.
  const Text& text() const { return *std::get<std::shared_ptr<const Text>>(data_); }
  const std::string& undefined_message() const { return *std::get<Undefined>(data_).message; }
  double number() const;
  // The value of an int, or of a bool as 0 or 1; nullopt for other kinds.
  std::optional<std::int64_t> integer() const noexcept;

  // Null if the value is of another kind.
  const List* list() const noexcept;
  const Dict* dict() const noexcept;
  const Callable* callable() const noexcept;
  Object* object() const noexcept;

  // Python's bool(): empty values and zeros are false.
  bool truth() const noexcept;
  // Python's name of the type, as in its error messages ("str", "NoneType").
  std::string_view type_name() const noexcept;
  // The nesting of containers; 0 if the value is not a container.
  int depth() const noexcept;

  // Python's `is`: whether both are the same object. Equal numbers or strings of one type count as
  // the same object.
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

// The value of a variable that is not set.
Value undefined_name(std::string_view name);
// The value of a variable that the request could have but does not. It is undefined, and it also
// passes `is none`: transformers passes None for such variables, other programs pass nothing, and
// templates test for either.
Value absent(std::string_view name);

// A view is the result of dict.items(), a generator the result of map(). Both can be looped over
// but not indexed; a generator has no length and is always true. A range can be indexed, but not
// joined to a list or repeated.
enum class ListKind { list, tuple, range, view, generator };

struct List {
  std::vector<Value> items;
  ListKind kind = ListKind::list;
  int depth = 1;
  std::string shown_as = {};  // a view's type ("dict_keys") or a whole range ("range(0, 5)")
  bool is_group = false;      // made by `groupby`: its items are also .grouper and .list
};

struct Dict {
  std::vector<std::pair<Value, Value>> items;  // in order of insertion
  // Indices into items by hash_key(). This is not a hash table, because a template could choose
  // keys that all collide.
  std::map<std::string, std::size_t> index;
  int depth = 1;

  // Null if there is no such key.
  const Value* find(std::string_view text_key) const;
  const Value* find_hashed(const std::string& hash_key) const;
};

class DictBuilder {
 public:
  // Replaces the value of an existing key. Throws ModelError for a key that cannot be hashed (a
  // list, a dict).
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
  int depth = 0;  // of the value that it is bound to
};

// A value that changes while the template runs. The Runtime owns it.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string_view type_name() const noexcept = 0;
  // Returns nullopt if there is no such attribute.
  virtual std::optional<Value> attribute(Runtime& runtime, std::string_view name) = 0;
  // Returns nullopt if the object cannot be called.
  virtual std::optional<Value> call(Runtime& /*runtime*/, const Arguments& /*arguments*/) {
    return std::nullopt;
  }
  virtual bool can_assign() const noexcept { return false; }
  // Precondition: can_assign().
  virtual void assign(std::string_view /*name*/, Value /*value*/) {}
};

// Python's ==. This and the following functions count their work.
bool equal(Runtime& runtime, const Value& a, const Value& b);
// Python's <. Throws ModelError for kinds that have no order.
bool less(Runtime& runtime, const Value& a, const Value& b);
// A string that is the same for equal keys. Throws ModelError for a value that cannot be hashed.
std::string hash_key(Runtime& runtime, const Value& value);
// The items of a for loop over the value: elements, keys or characters. Throws ModelError if it
// cannot be looped over.
std::vector<Value> elements(Runtime& runtime, const Value& value);
// Python's len(); nullopt for a value without a length.
std::optional<std::size_t> length(Runtime& runtime, const Value& value);
// Python's `item in container`.
bool contains(Runtime& runtime, const Value& container, const Value& item);

}  // namespace confab::engine::jinja
