// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

std::string text_hash_key(std::string_view text) {
  return fmt::format("s{}", text);
}

// Compares ints and floats as numbers. Two ints are compared exactly.
int compare_numbers(const Value& a, const Value& b) {
  const auto x = a.integer();
  const auto y = b.integer();
  if (x && y) return *x < *y ? -1 : *x > *y ? 1 : 0;
  if (y) return -compare_numbers(b, a);
  constexpr double kTwoTo63 = 9223372036854775808.0;
  const double other = b.number();
  if (x && other >= -kTwoTo63 && other < kTwoTo63) {
    const auto whole = static_cast<std::int64_t>(std::trunc(other));
    if (*x != whole) return *x < whole ? -1 : 1;
    return std::trunc(other) < other ? -1 : std::trunc(other) > other ? 1 : 0;
  }
  return a.number() < b.number() ? -1 : a.number() > b.number() ? 1 : 0;
}

// Views and generators are compared as lists, though Python compares them by identity.
bool comparable_lists(const List* a, const List* b) {
  if (a == nullptr || b == nullptr) return false;
  const auto differs = [a, b](ListKind kind) { return (a->kind == kind) != (b->kind == kind); };
  return !differs(ListKind::tuple) && !differs(ListKind::range);
}

bool equal_dicts(Runtime& runtime, const Dict& a, const Dict& b) {
  if (a.items.size() != b.items.size()) return false;
  return std::all_of(a.items.begin(), a.items.end(), [&](const auto& item) {
    const Value* other = b.find_hashed(hash_key(runtime, item.first));
    return other != nullptr && equal(runtime, item.second, *other);
  });
}

}  // namespace

Value Value::undefined(std::string message) {
  return Undefined{std::make_shared<const std::string>(std::move(message))};
}

Value undefined_name(std::string_view name) {
  return Value::undefined(fmt::format("'{}' is undefined", name));
}

Value absent(std::string_view name) {
  Undefined undefined{std::make_shared<const std::string>(fmt::format("'{}' is undefined", name))};
  undefined.absent = true;
  return undefined;
}

Value Value::plain(std::string bytes) {
  return Value(std::make_shared<const Text>(std::move(bytes)));
}

bool is_none_or_absent(const Value& value) noexcept {
  const auto* undefined = std::get_if<Undefined>(&value.data_);
  return value.is_none() || (undefined != nullptr && undefined->absent);
}

double Value::number() const {
  if (const auto* real = std::get_if<double>(&data_)) return *real;
  return static_cast<double>(integer().value_or(0));
}

std::optional<std::int64_t> Value::integer() const noexcept {
  if (const auto* value = std::get_if<std::int64_t>(&data_)) return *value;
  if (const auto* value = std::get_if<bool>(&data_)) return *value ? 1 : 0;
  return std::nullopt;
}

const List* Value::list() const noexcept {
  const auto* shared = std::get_if<std::shared_ptr<const List>>(&data_);
  return shared == nullptr ? nullptr : shared->get();
}

const Dict* Value::dict() const noexcept {
  const auto* shared = std::get_if<std::shared_ptr<const Dict>>(&data_);
  return shared == nullptr ? nullptr : shared->get();
}

const Callable* Value::callable() const noexcept {
  const auto* shared = std::get_if<std::shared_ptr<const Callable>>(&data_);
  return shared == nullptr ? nullptr : shared->get();
}

Object* Value::object() const noexcept {
  const auto* object = std::get_if<Object*>(&data_);
  return object == nullptr ? nullptr : *object;
}

bool Value::truth() const noexcept {
  if (is_undefined() || is_none()) return false;
  if (const auto value = integer()) return *value != 0;
  if (is_float()) return number() != 0.0;
  if (is_text()) return !text().empty();
  if (const List* items = list())
    return items->kind == ListKind::generator || !items->items.empty();
  if (const Dict* items = dict()) return !items->items.empty();
  return true;
}

std::string_view Value::type_name() const noexcept {
  if (is_undefined()) return "Undefined";
  if (is_none()) return "NoneType";
  if (is_bool()) return "bool";
  if (is_integer()) return "int";
  if (is_float()) return "float";
  if (is_text()) return "str";
  if (dict() != nullptr) return "dict";
  if (callable() != nullptr) return "function";
  if (const Object* thing = object()) return thing->type_name();
  switch (list()->kind) {
    case ListKind::tuple:
      return "tuple";
    case ListKind::range:
      return "range";
    case ListKind::view:
      return list()->shown_as;
    case ListKind::generator:
      return "generator";
    case ListKind::list:
      break;
  }
  return "list";
}

int Value::depth() const noexcept {
  if (const List* items = list()) return items->depth;
  if (const Dict* items = dict()) return items->depth;
  if (const Callable* function = callable()) return function->depth;
  return 0;
}

bool same(const Value& a, const Value& b) noexcept {
  if (a.data_.index() != b.data_.index()) return false;
  if (const auto value = a.integer()) return value == b.integer();
  if (a.is_float()) return a.number() == b.number();
  if (a.is_text()) return &a.text() == &b.text() || a.text().view() == b.text().view();
  return a.list() == b.list() && a.dict() == b.dict() && a.callable() == b.callable() &&
         a.object() == b.object();
}

const Value* Dict::find(std::string_view text_key) const {
  return find_hashed(text_hash_key(text_key));
}

const Value* Dict::find_hashed(const std::string& hash_key) const {
  const auto found = index.find(hash_key);
  return found == index.end() ? nullptr : &items[found->second].second;
}

void DictBuilder::set(Runtime& runtime, const Value& key, Value value) {
  set_hashed(hash_key(runtime, key), key, std::move(value));
}

void DictBuilder::set(Text key, Value value) {
  std::string hash = text_hash_key(key.view());
  set_hashed(std::move(hash), Value(std::make_shared<const Text>(std::move(key))),
             std::move(value));
}

void DictBuilder::set_hashed(std::string hash_key, Value key, Value value) {
  const auto [place, added] = dict_.index.try_emplace(std::move(hash_key), dict_.items.size());
  if (added) {
    dict_.items.emplace_back(std::move(key), std::move(value));
  } else {
    dict_.items[place->second].second = std::move(value);
  }
}

bool equal(Runtime& runtime, const Value& a, const Value& b) {
  runtime.step();
  if (a.is_number() && b.is_number()) {
    return compare_numbers(a, b) == 0 && !std::isnan(a.number()) && !std::isnan(b.number());
  }
  if (a.is_none() || b.is_none()) return is_none_or_absent(a) && is_none_or_absent(b);
  if (a.is_text() && b.is_text()) {
    runtime.work(std::min(a.text().size(), b.text().size()));
    return a.text().view() == b.text().view();
  }
  if (comparable_lists(a.list(), b.list())) {
    const auto& x = a.list()->items;
    const auto& y = b.list()->items;
    return x.size() == y.size() &&
           std::equal(x.begin(), x.end(), y.begin(),
                      [&](const Value& p, const Value& q) { return equal(runtime, p, q); });
  }
  if (a.dict() != nullptr && b.dict() != nullptr) return equal_dicts(runtime, *a.dict(), *b.dict());
  return same(a, b);
}

bool less(Runtime& runtime, const Value& a, const Value& b) {
  runtime.step();
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) < 0;
  if (a.is_text() && b.is_text()) {
    runtime.work(std::min(a.text().size(), b.text().size()));
    return a.text().view() < b.text().view();
  }
  if (comparable_lists(a.list(), b.list())) {
    const auto& x = a.list()->items;
    const auto& y = b.list()->items;
    const std::size_t common = std::min(x.size(), y.size());
    for (std::size_t i = 0; i < common; ++i) {
      if (!equal(runtime, x[i], y[i])) return less(runtime, x[i], y[i]);
    }
    return x.size() < y.size();
  }
  if (a.is_undefined()) runtime.fail(a.undefined_message());
  if (b.is_undefined()) runtime.fail(b.undefined_message());
  runtime.fail(fmt::format("'<' not supported between instances of '{}' and '{}'", a.type_name(),
                           b.type_name()));
}

std::string hash_key(Runtime& runtime, const Value& value) {
  runtime.step();
  if (value.is_text()) {
    runtime.work(value.text().size());
    return text_hash_key(value.text().view());
  }
  if (const auto integer = value.integer()) return fmt::format("n{}", *integer);
  if (value.is_float()) {
    const double real = value.number();
    const bool whole = std::abs(real) < 9e18 && real == std::trunc(real);
    return whole ? fmt::format("n{}", static_cast<std::int64_t>(real)) : fmt::format("f{}", real);
  }
  if (value.is_none()) return "N";
  if (value.is_undefined()) return "U";
  if (const List* list = value.list(); list != nullptr && list->kind == ListKind::tuple) {
    std::string key = "(";
    for (const Value& item : list->items) {
      const std::string part = hash_key(runtime, item);
      key += fmt::format("{}:{}", part.size(), part);
      runtime.work(part.size());
    }
    return key;
  }
  if (Object* object = value.object()) return fmt::format("o{}", fmt::ptr(object));
  if (value.callable() != nullptr) return fmt::format("c{}", fmt::ptr(value.callable()));
  runtime.fail(fmt::format("unhashable type: '{}'", value.type_name()));
}

std::vector<Value> elements(Runtime& runtime, const Value& value) {
  std::vector<Value> items;
  if (const List* list = value.list()) {
    runtime.work(list->items.size() * sizeof(Value));
    return list->items;
  }
  if (const Dict* dict = value.dict()) {
    runtime.work(dict->items.size() * sizeof(Value));
    for (const auto& item : dict->items) items.push_back(item.first);
    return items;
  }
  if (value.is_text()) {
    const std::string_view bytes = value.text().view();
    for (std::size_t pos = 0; pos < bytes.size();) {
      const std::size_t end = char_end(bytes, pos);
      items.push_back(runtime.text(value.text().slice(pos, end)));
      pos = end;
    }
    return items;
  }
  if (value.is_undefined()) return items;
  runtime.fail(fmt::format("'{}' object is not iterable", value.type_name()));
}

std::optional<std::size_t> length(Runtime& runtime, const Value& value) {
  if (value.is_undefined()) return 0;
  if (const Dict* dict = value.dict()) return dict->items.size();
  if (const List* list = value.list(); list != nullptr && list->kind != ListKind::generator) {
    return list->items.size();
  }
  if (!value.is_text()) return std::nullopt;
  runtime.work(value.text().size());
  return count_chars(value.text().view());
}

bool contains(Runtime& runtime, const Value& container, const Value& item) {
  if (container.is_text()) {
    if (!item.is_text()) {
      runtime.fail(
          fmt::format("'in <string>' requires string as left operand, not {}", item.type_name()));
    }
    runtime.work(container.text().size() + item.text().size());
    return find(container.text().view(), item.text().view()) != std::string_view::npos;
  }
  if (const Dict* dict = container.dict()) {
    return dict->find_hashed(hash_key(runtime, item)) != nullptr;
  }
  if (const List* list = container.list()) {
    return std::any_of(list->items.begin(), list->items.end(),
                       [&](const Value& other) { return equal(runtime, other, item); });
  }
  if (container.is_undefined()) return false;
  runtime.fail(fmt::format("argument of type '{}' is not iterable", container.type_name()));
}

}  // namespace confab::engine::jinja
