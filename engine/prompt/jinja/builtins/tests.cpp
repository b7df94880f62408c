// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/prompt/jinja/arguments.h"
#include "engine/prompt/jinja/builtins/filters.h"
#include "engine/prompt/jinja/operators.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

// A test of the value alone.
template <bool (*holds)(const Value&)>
bool plain(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound(runtime, "a test", arguments, {});
  return holds(value);
}

bool is_defined(const Value& v) {
  return !v.is_undefined();
}
bool is_undefined(const Value& v) {
  return v.is_undefined();
}
bool is_none(const Value& v) {
  return is_none_or_absent(v);
}
bool is_true(const Value& v) {
  return v.is_bool() && v.truth();
}
bool is_false(const Value& v) {
  return v.is_bool() && !v.truth();
}
bool is_boolean(const Value& v) {
  return v.is_bool();
}
bool is_integer(const Value& v) {
  return v.is_integer();
}
bool is_float(const Value& v) {
  return v.is_float();
}
bool is_number(const Value& v) {
  return v.is_number();
}
bool is_string(const Value& v) {
  return v.is_text();
}
bool is_mapping(const Value& v) {
  return v.dict() != nullptr;
}
bool is_escaped(const Value& v) {
  return v.is_text() && v.text().is_markup();
}
bool is_callable(const Value& v) {
  return v.callable() != nullptr;
}

// What has a length and can be indexed, or pretends to.
bool is_sequence(const Value& v) {
  if (v.is_undefined() || v.is_text() || v.dict() != nullptr) return true;
  const List* list = v.list();
  return list != nullptr && list->kind != ListKind::view && list->kind != ListKind::generator;
}

bool is_iterable(const Value& v) {
  return v.is_undefined() || v.is_text() || v.dict() != nullptr || v.list() != nullptr;
}

template <CharClass char_class>
bool has_case(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound(runtime, "a test", arguments, {});
  return value.is_text() && all_of_class(value.text().view(), char_class);
}

std::int64_t required_integer(Runtime& runtime, const Value& value, std::string_view test) {
  if (value.is_undefined()) runtime.fail(value.undefined_message());
  if (const auto integer = value.integer()) return *integer;
  runtime.fail(fmt::format("test '{}': found {}, expected int", test, value.type_name()));
}

bool is_even(Runtime& runtime, const Value& value, const Arguments&) {
  return required_integer(runtime, value, "even") % 2 == 0;
}

bool is_odd(Runtime& runtime, const Value& value, const Arguments&) {
  return required_integer(runtime, value, "odd") % 2 != 0;
}

bool is_divisible_by(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound(runtime, "divisibleby", arguments, {"num"});
  return !apply(runtime, BinaryOp::modulo, value, bound.value(0)).truth();
}

template <CompareOp op>
bool compares(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound(runtime, "a comparison test", arguments, {"other"});
  return compare(runtime, op, value, bound.value(0));
}

bool is_same_as(Runtime& runtime, const Value& value, const Arguments& arguments) {
  const Bound bound(runtime, "sameas", arguments, {"other"});
  return same(value, bound.value(0));
}

bool names_filter(Runtime&, const Value& value, const Arguments&) {
  return value.is_text() && has_filter(value.text().view());
}

struct NamedTest {
  std::string_view name;
  TestFunction function;
};

bool names_test(Runtime&, const Value& value, const Arguments&);

constexpr std::array<NamedTest, 39> kTests = {{
    {"!=", compares<CompareOp::not_equal>},
    {"<", compares<CompareOp::less>},
    {"<=", compares<CompareOp::less_equal>},
    {"==", compares<CompareOp::equal>},
    {">", compares<CompareOp::greater>},
    {">=", compares<CompareOp::greater_equal>},
    {"boolean", plain<is_boolean>},
    {"callable", plain<is_callable>},
    {"defined", plain<is_defined>},
    {"divisibleby", is_divisible_by},
    {"eq", compares<CompareOp::equal>},
    {"equalto", compares<CompareOp::equal>},
    {"escaped", plain<is_escaped>},
    {"even", is_even},
    {"false", plain<is_false>},
    {"filter", names_filter},
    {"float", plain<is_float>},
    {"ge", compares<CompareOp::greater_equal>},
    {"greaterthan", compares<CompareOp::greater>},
    {"gt", compares<CompareOp::greater>},
    {"in", compares<CompareOp::in>},
    {"integer", plain<is_integer>},
    {"iterable", plain<is_iterable>},
    {"le", compares<CompareOp::less_equal>},
    {"lessthan", compares<CompareOp::less>},
    {"lower", has_case<CharClass::lower>},
    {"lt", compares<CompareOp::less>},
    {"mapping", plain<is_mapping>},
    {"ne", compares<CompareOp::not_equal>},
    {"none", plain<is_none>},
    {"number", plain<is_number>},
    {"odd", is_odd},
    {"sameas", is_same_as},
    {"sequence", plain<is_sequence>},
    {"string", plain<is_string>},
    {"test", names_test},
    {"true", plain<is_true>},
    {"undefined", plain<is_undefined>},
    {"upper", has_case<CharClass::upper>},
}};

TestFunction lookup(std::string_view name) {
  const auto found = std::find_if(kTests.begin(), kTests.end(),
                                  [name](const NamedTest& test) { return test.name == name; });
  return found == kTests.end() ? TestFunction() : found->function;
}

bool names_test(Runtime&, const Value& value, const Arguments&) {
  return value.is_text() && lookup(value.text().view());
}

}  // namespace

TestFunction find_test(Runtime& runtime, std::string_view name) {
  const TestFunction function = lookup(name);
  if (!function) runtime.fail(fmt::format("no test '{:.40}'", name));
  return function;
}

}  // namespace confab::engine::jinja
