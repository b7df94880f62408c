// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "engine/prompt/jinja/builtins/format.h"
#include "engine/prompt/jinja/builtins/methods.h"
#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

std::string_view symbol(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
      return "+";
    case BinaryOp::subtract:
      return "-";
    case BinaryOp::multiply:
      return "*";
    case BinaryOp::divide:
      return "/";
    case BinaryOp::floor_divide:
      return "//";
    case BinaryOp::modulo:
      return "%";
    case BinaryOp::power:
      break;
  }
  return "**";
}

[[noreturn]] void fail_operands(Runtime& runtime, BinaryOp op, const Value& a, const Value& b) {
  if (a.is_undefined()) runtime.fail(a.undefined_message());
  if (b.is_undefined()) runtime.fail(b.undefined_message());
  if (op == BinaryOp::add && a.is_text()) {
    runtime.fail(fmt::format("can only concatenate str (not \"{}\") to str", b.type_name()));
  }
  runtime.fail(fmt::format("unsupported operand type(s) for {}: '{}' and '{}'", symbol(op),
                           a.type_name(), b.type_name()));
}

// `result` is a reference because the arguments of a call are evaluated in any order: the value
// must be read after `overflow` was computed.
std::int64_t checked(Runtime& runtime, bool overflow, const std::int64_t& result) {
  if (overflow) runtime.fail("an integer does not fit 64 bits");
  return result;
}

std::int64_t power(Runtime& runtime, std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) {
      checked(runtime, __builtin_mul_overflow(result, base, &result), 0);
    }
    if (exponent > 1) checked(runtime, __builtin_mul_overflow(base, base, &base), 0);
  }
  return result;
}

// Rounds towards minus infinity, like Python's //.
std::int64_t floor_divide(Runtime& runtime, std::int64_t a, std::int64_t b) {
  if (b == -1) {
    std::int64_t negated = 0;
    return checked(runtime, __builtin_sub_overflow(std::int64_t{0}, a, &negated), negated);
  }
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

Value apply_integers(Runtime& runtime, BinaryOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
    case BinaryOp::add:
      return checked(runtime, __builtin_add_overflow(a, b, &result), result);
    case BinaryOp::subtract:
      return checked(runtime, __builtin_sub_overflow(a, b, &result), result);
    case BinaryOp::multiply:
      return checked(runtime, __builtin_mul_overflow(a, b, &result), result);
    case BinaryOp::divide:
      return static_cast<double>(a) / static_cast<double>(b);
    case BinaryOp::floor_divide:
      return floor_divide(runtime, a, b);
    case BinaryOp::modulo:
      return b == -1 ? 0 : a - floor_divide(runtime, a, b) * b;
    case BinaryOp::power:
      break;
  }
  if (a == 0 && b < 0) runtime.fail("0.0 cannot be raised to a negative power");
  if (b < 0) return std::pow(static_cast<double>(a), static_cast<double>(b));
  return power(runtime, a, b);
}

// The result has the sign of b, like Python's %.
double modulo(double a, double b) {
  const double remainder = std::fmod(a, b);
  if (remainder == 0.0) return std::copysign(0.0, b);
  return (b < 0) != (remainder < 0) ? remainder + b : remainder;
}

double floor_divide(double a, double b) {
  const double quotient = (a - modulo(a, b)) / b;  // a whole number except for rounding
  return quotient == 0.0 ? std::copysign(0.0, a / b) : std::floor(quotient + 0.5);
}

Value apply_floats(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::add:
      return a + b;
    case BinaryOp::subtract:
      return a - b;
    case BinaryOp::multiply:
      return a * b;
    case BinaryOp::divide:
      return a / b;
    case BinaryOp::floor_divide:
      return floor_divide(a, b);
    case BinaryOp::modulo:
      return modulo(a, b);
    case BinaryOp::power:
      break;
  }
  return std::pow(a, b);
}

Value apply_numbers(Runtime& runtime, BinaryOp op, const Value& a, const Value& b) {
  const bool divides =
      op == BinaryOp::divide || op == BinaryOp::floor_divide || op == BinaryOp::modulo;
  if (divides && b.number() == 0.0) runtime.fail("division by zero");
  const auto x = a.integer();
  const auto y = b.integer();
  if (x && y) return apply_integers(runtime, op, *x, *y);
  return apply_floats(op, a.number(), b.number());
}

Value concatenate(Runtime& runtime, const Value& a, const Value& b) {
  if (a.is_text()) {
    const bool mixed = a.text().is_markup() != b.text().is_markup();
    Text joined = mixed ? to_markup(a.text()) : a.text();
    joined.append(mixed ? to_markup(b.text()) : b.text());
    return runtime.text(std::move(joined));
  }
  std::vector<Value> items = a.list()->items;
  items.insert(items.end(), b.list()->items.begin(), b.list()->items.end());
  return runtime.list(std::move(items), a.list()->kind);
}

// Repeats a string or list n times. Returns nullopt for other kinds.
std::optional<Value> repeat(Runtime& runtime, const Value& value, const Value& count) {
  const List* list = value.list();
  const bool repeats =
      value.is_text() ||
      (list != nullptr && (list->kind == ListKind::list || list->kind == ListKind::tuple));
  if (!count.integer() || !repeats) return std::nullopt;
  const std::size_t size = value.is_text() ? value.text().size() : value.list()->items.size();
  const std::size_t limit = value.is_text() ? kMaxTextBytes : kMaxElements;
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(*count.integer(), 0));
  if (size > 0 && n > limit / size) runtime.fail(fmt::format("{} times is too long", n));
  if (value.is_text()) {
    return runtime.text(repeat(value.text(), size > 0 ? n : 0).as_markup(value.text().is_markup()));
  }
  std::vector<Value> items;
  for (std::size_t i = 0; size > 0 && i < n; ++i) {
    items.insert(items.end(), value.list()->items.begin(), value.list()->items.end());
  }
  return runtime.list(std::move(items), value.list()->kind);
}

bool can_concatenate(const Value& a, const Value& b) {
  if (a.is_text() && b.is_text()) return true;
  const List* x = a.list();
  const List* y = b.list();
  if (x == nullptr || y == nullptr || x->kind != y->kind) return false;
  return x->kind == ListKind::list || x->kind == ListKind::tuple;
}

std::string object_name(const Value& object) {
  return object.is_none() ? "None" : fmt::format("{} object", object.type_name());
}

// A method, or an attribute of an object; nullopt if there is none.
std::optional<Value> member(Runtime& runtime, const Value& object, std::string_view name) {
  if (Object* thing = object.object()) return thing->attribute(runtime, name);
  if (const List* list = object.list(); list != nullptr && list->is_group) {
    if (name == "grouper") return list->items[0];
    if (name == "list") return list->items[1];
  }
  if (const Function method = find_method(object, name)) {
    return runtime.callable(
        std::string(name),
        [object, method](Runtime& at_call, const Arguments& arguments) {
          return method(at_call, object, arguments);
        },
        &object);
  }
  if (is_unsafe_method(object, name)) {
    return Value::undefined(fmt::format("access to attribute '{}' of '{}' object is unsafe.", name,
                                        object.type_name()));
  }
  return std::nullopt;
}

// An element, or the value of a key; nullopt if there is none.
std::optional<Value> element(Runtime& runtime, const Value& object, const Value& key) {
  if (const Dict* dict = object.dict()) {
    const Value* found = dict->find_hashed(hash_key(runtime, key));
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  const List* list = object.list();
  const bool indexed =
      list != nullptr && list->kind != ListKind::view && list->kind != ListKind::generator;
  const auto index = key.integer();
  if (!index || (!indexed && !object.is_text())) return std::nullopt;
  const auto size = static_cast<std::int64_t>(*length(runtime, object));
  const std::int64_t place = *index < 0 ? *index + size : *index;
  if (place < 0 || place >= size) return std::nullopt;
  if (list != nullptr) return list->items[static_cast<std::size_t>(place)];
  const std::string_view bytes = object.text().view();
  const std::size_t begin = char_offset(bytes, static_cast<std::size_t>(place));
  return runtime.text(object.text().slice(begin, char_end(bytes, begin)));
}

// The first position of a slice, the position after its last one, and the step between them.
struct Positions {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
};

Positions positions(Runtime& runtime, const SliceBounds& bounds, std::int64_t size) {
  const auto bound = [&](const Value& value, std::int64_t fallback) {
    if (value.is_none()) return fallback;
    if (!value.integer()) runtime.fail("slice indices must be integers or None");
    return *value.integer();
  };
  const std::int64_t step = bound(bounds.step, 1);
  if (step == 0) runtime.fail("slice step cannot be zero");
  // Positions are one lower if the step is negative, as in Python's PySlice_AdjustIndices().
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? size : size - 1;
  const auto clamp = [&](std::int64_t place) {
    return std::clamp(place < 0 ? place + size : place, low, high);
  };
  const std::int64_t begin =
      bounds.begin.is_none() ? (step > 0 ? low : high) : clamp(bound(bounds.begin, 0));
  const std::int64_t end =
      bounds.end.is_none() ? (step > 0 ? high : low) : clamp(bound(bounds.end, 0));
  return {begin, end, step};
}

}  // namespace

Value apply(Runtime& runtime, BinaryOp op, const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return apply_numbers(runtime, op, left, right);
  if (op == BinaryOp::add && can_concatenate(left, right)) return concatenate(runtime, left, right);
  if (op == BinaryOp::modulo && left.is_text()) return format_percent(runtime, left.text(), right);
  if (op == BinaryOp::multiply) {
    if (auto repeated = repeat(runtime, left, right)) return *repeated;
    if (auto repeated = repeat(runtime, right, left)) return *repeated;
  }
  fail_operands(runtime, op, left, right);
}

Value negate(Runtime& runtime, const Value& value) {
  return apply(runtime, BinaryOp::subtract, value.is_float() ? Value(-0.0) : Value(std::int64_t{0}),
               value);
}

bool compare(Runtime& runtime, CompareOp op, const Value& left, const Value& right) {
  switch (op) {
    case CompareOp::equal:
      return equal(runtime, left, right);
    case CompareOp::not_equal:
      return !equal(runtime, left, right);
    case CompareOp::less:
      return less(runtime, left, right);
    case CompareOp::less_equal:
      return less(runtime, left, right) || equal(runtime, left, right);
    case CompareOp::greater:
      return less(runtime, right, left);
    case CompareOp::greater_equal:
      return less(runtime, right, left) || equal(runtime, left, right);
    case CompareOp::in:
      return contains(runtime, right, left);
    case CompareOp::not_in:
      break;
  }
  return !contains(runtime, right, left);
}

Value attribute(Runtime& runtime, const Value& object, std::string_view name) {
  if (object.is_undefined()) runtime.fail(object.undefined_message());
  if (auto found = member(runtime, object, name)) return *found;
  const Value* value = object.dict() == nullptr ? nullptr : object.dict()->find(name);
  if (value != nullptr) return *value;
  return Value::undefined(fmt::format("'{}' has no attribute '{}'", object_name(object), name));
}

Value subscript(Runtime& runtime, const Value& object, const Value& key) {
  if (object.is_undefined()) runtime.fail(object.undefined_message());
  if (auto found = element(runtime, object, key)) return *found;
  if (key.is_text()) {
    const std::string_view name = key.text().view().substr(0, 200);
    if (auto found = member(runtime, object, name)) return *found;
    return Value::undefined(fmt::format("'{}' has no attribute '{}'", object_name(object), name));
  }
  return Value::undefined(fmt::format("{} has no such element", object_name(object)));
}

Value attribute_path(Runtime& runtime, const Value& item, const Value& path) {
  if (!path.is_text()) return subscript(runtime, item, path);
  Value value = item;
  std::string_view rest = path.text().view();
  while (true) {
    runtime.step();
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const std::string part(rest.substr(0, dot));
    runtime.work(part.size());
    std::int64_t index = 0;
    const char* end = part.data() + part.size();
    const bool is_index = std::from_chars(part.data(), end, index).ptr == end && !part.empty();
    value = subscript(runtime, value, is_index ? Value(index) : Value::plain(part));
    if (dot == rest.size()) return value;
    rest.remove_prefix(dot + 1);
  }
}

Value slice(Runtime& runtime, const Value& object, const SliceBounds& bounds) {
  if (object.is_undefined()) runtime.fail(object.undefined_message());
  const List* list = object.list();
  if (!object.is_text() &&
      (list == nullptr || list->kind == ListKind::view || list->kind == ListKind::generator)) {
    runtime.fail(fmt::format("'{}' object is not subscriptable", object.type_name()));
  }
  const auto size = static_cast<std::int64_t>(list ? list->items.size() : *length(runtime, object));
  const auto [begin, end, step] = positions(runtime, bounds, size);
  if (object.is_text() && step == 1) {
    const std::string_view bytes = object.text().view();
    const std::size_t from = char_offset(bytes, static_cast<std::size_t>(begin));
    const auto n_chars = static_cast<std::size_t>(std::max<std::int64_t>(end - begin, 0));
    return runtime.text(object.text().slice(from, from + char_offset(bytes.substr(from), n_chars)));
  }
  const std::vector<Value> items = elements(runtime, object);
  std::vector<Value> chosen;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end;) {
    chosen.push_back(items[static_cast<std::size_t>(i)]);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  if (!object.is_text()) return runtime.list(std::move(chosen), list->kind);
  Text joined;
  for (const Value& character : chosen) joined.append(character.text());
  return runtime.text(std::move(joined).as_markup(object.text().is_markup()));
}

Value call(Runtime& runtime, const Value& callee, const Arguments& arguments) {
  if (const Callable* function = callee.callable()) return function->function(runtime, arguments);
  if (Object* object = callee.object()) {
    if (auto result = object->call(runtime, arguments)) return *result;
  }
  if (callee.is_undefined()) runtime.fail(callee.undefined_message());
  runtime.fail(fmt::format("'{}' object is not callable", callee.type_name()));
}

}  // namespace confab::engine::jinja
