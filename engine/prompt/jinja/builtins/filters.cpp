// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "engine/prompt/jinja/builtins/sequence_filters.h"
#include "engine/prompt/jinja/builtins/string_filters.h"
#include "engine/prompt/jinja/operators.h"
#include "engine/prompt/jinja/repr.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

// The name of a filter or test, and the remaining arguments, which are passed to it.
std::pair<std::string, Arguments> take_name(Runtime& runtime, const Arguments& arguments,
                                            std::size_t n_taken) {
  const Value& name = arguments.positional[n_taken];
  if (!name.is_text()) runtime.fail("expected the name of a filter or test");
  Arguments rest;
  rest.positional.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(n_taken) + 1,
                         arguments.positional.end());
  rest.named = arguments.named;
  return {std::string(name.text().view()), std::move(rest)};
}

// These filters treat any false value (none, 0) as an empty list.
std::vector<Value> elements_or_none(Runtime& runtime, const Value& value) {
  return value.truth() ? elements(runtime, value) : std::vector<Value>{};
}

Value map_attribute(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "map", arguments, {"attribute", "default"});
  std::vector<Value> mapped;
  for (const Value& item : elements_or_none(runtime, self)) {
    Value value = attribute_path(runtime, item, bound.value(0));
    mapped.push_back(value.is_undefined() && bound.has(1) ? bound.value(1) : std::move(value));
  }
  return runtime.list(std::move(mapped), ListKind::generator);
}

Value map(Runtime& runtime, const Value& self, const Arguments& arguments) {
  if (arguments.positional.empty()) {
    Arguments named;
    named.named = arguments.named;
    return map_attribute(runtime, self, named);
  }
  const auto [name, rest] = take_name(runtime, arguments, 0);
  const Function filter = find_filter(runtime, name);
  std::vector<Value> mapped;
  for (const Value& item : elements_or_none(runtime, self)) {
    runtime.step();
    mapped.push_back(filter(runtime, item, rest));
  }
  return runtime.list(std::move(mapped), ListKind::generator);
}

// select and reject test the item; selectattr and rejectattr test an attribute of it. Without the
// name of a test, they test whether it is true.
template <bool by_attribute, bool wanted>
Value choose(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const std::size_t n_taken = by_attribute ? 1 : 0;
  if (arguments.positional.size() < n_taken) runtime.fail("expected the name of an attribute");
  TestFunction test;
  Arguments rest;
  if (arguments.positional.size() > n_taken) {
    std::string name;
    std::tie(name, rest) = take_name(runtime, arguments, n_taken);
    test = find_test(runtime, name);
  }
  std::vector<Value> chosen;
  for (Value& item : elements_or_none(runtime, self)) {
    runtime.step();
    const Value tested =
        by_attribute ? attribute_path(runtime, item, arguments.positional[0]) : item;
    const bool holds = !test ? tested.truth() : test(runtime, tested, rest);
    if (holds == wanted) chosen.push_back(std::move(item));
  }
  return runtime.list(std::move(chosen), ListKind::generator);
}

constexpr std::int64_t kMaxIndent = 1000;

Value absolute(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "abs", arguments, {});
  if (!self.is_number()) {
    runtime.fail(fmt::format("bad operand type for abs(): '{}'", self.type_name()));
  }
  return std::signbit(self.number()) ? negate(runtime, self) : self;
}

Value attr(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "attr", arguments, {"name"});
  return attribute(runtime, self, bound.text(0).view());
}

Value or_default(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "default", arguments, {"default_value", "boolean"});
  const bool absent = self.is_undefined() || (bound.flag_or(1, false) && !self.truth());
  return absent ? bound.value_or(0, Value::plain("")) : self;
}

// Python allows single underscores between digits.
std::string without_underscores(std::string_view s) {
  const auto digit = [s](std::size_t i) {
    return i < s.size() && ascii_class(s.substr(i, 1), CharClass::alnum).value_or(false);
  };
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '_' || i == 0 || !digit(i - 1) || !digit(i + 1)) out += s[i];
  }
  return out;
}

// The text of a number without the white space around it, single underscores between digits, and a
// plus sign.
std::string bare_digits(const Text& text) {
  std::string digits = without_underscores(strip(text, std::nullopt, Side::both).view());
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.erase(0, 1);
  return digits;
}

// The integer that a string spells, or nullopt.
std::optional<std::int64_t> parse_integer(const Text& text, int base) {
  const std::string digits = bare_digits(text);
  const char* end = digits.data() + digits.size();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// libc++ has from_chars() for floating point only since version 20. strtod() also accepts
// hexadecimal digits and leading white space, which are refused here.
std::optional<double> parse_real(const Text& text) {
  const std::string digits = bare_digits(text);
  if (digits.empty() || digits.front() == '+' ||
      is_space(static_cast<unsigned char>(digits.front())) ||
      digits.find_first_of("xX") != std::string::npos)
    return std::nullopt;
  char* stop = nullptr;
  errno = 0;
  const double number = std::strtod(digits.c_str(), &stop);
  const bool whole = stop == digits.c_str() + digits.size();
  const bool too_large = errno == ERANGE && std::isinf(number);
  return whole && !too_large ? std::optional(number) : std::nullopt;
}

std::optional<double> to_float(Runtime& runtime, const Value& value) {
  if (value.is_undefined()) runtime.fail(value.undefined_message());
  if (value.is_number()) return value.number();
  if (!value.is_text()) return std::nullopt;
  return parse_real(value.text());
}

// Removes the prefix of 0x1F, 0o17 or 0b1, which int(text, base) accepts.
Text without_prefix(const Text& text, std::int64_t base) {
  const Text stripped = strip(text, std::nullopt, Side::both);
  const std::string_view s = stripped.view();
  const std::string_view letters = base == 16 ? "xX" : base == 8 ? "oO" : base == 2 ? "bB" : "";
  const std::size_t sign = s.starts_with('-') || s.starts_with('+') ? 1 : 0;
  const bool prefixed = s.size() > sign + 2 && s[sign] == '0' && !letters.empty() &&
                        letters.find(s[sign + 1]) != std::string_view::npos;
  if (!prefixed) return stripped;
  Text bare = stripped.slice(0, sign);
  bare.append(stripped, sign + 2, s.size());
  return bare;
}

Value as_int(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "int", arguments, {"default", "base"});
  if (const auto integer = self.integer()) return *integer;
  const std::int64_t base = bound.integer_or(1, 10);
  if (base < 2 || base > 36) runtime.fail("int: found a base outside 2 to 36");
  if (self.is_text()) {
    const auto integer = parse_integer(without_prefix(self.text(), base), static_cast<int>(base));
    if (integer) return *integer;
  }
  const auto real = to_float(runtime, self);
  if (real && std::abs(*real) < 9e18) return static_cast<std::int64_t>(*real);
  return bound.value_or(0, std::int64_t{0});
}

Value as_float(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "float", arguments, {"default"});
  const auto real = to_float(runtime, self);
  return real ? Value(*real) : bound.value_or(0, 0.0);
}

Value round(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "round", arguments, {"precision", "method"});
  if (!self.is_number()) {
    runtime.fail(fmt::format("round: found {}, expected a number", self.type_name()));
  }
  const auto precision = std::clamp<std::int64_t>(bound.integer_or(0, 0), -300, 300);
  const Text method = bound.text_or(1, "common");
  const double number = self.number();
  const double scale = std::pow(10.0, static_cast<double>(precision));
  if (method.view() == "ceil") return std::ceil(number * scale) / scale;
  if (method.view() == "floor") return std::floor(number * scale) / scale;
  if (method.view() != "common") runtime.fail("round: method must be common, ceil or floor");
  if (self.integer() && precision >= 0) return *self.integer();
  if (precision < 0) {
    const double rounded = std::nearbyint(number * scale) / scale;
    return self.integer() ? Value(static_cast<std::int64_t>(rounded)) : Value(rounded);
  }
  // Printing decimal digits rounds correctly; multiplying by a power of ten does not.
  return std::strtod(fmt::format("{:.{}f}", number, precision).c_str(), nullptr);
}

std::string indent_of(Runtime& runtime, const Value& value) {
  if (value.is_text() && value.text().size() <= kMaxIndent) {
    return std::string(value.text().view());
  }
  const auto width = value.integer();
  if (!width || *width > kMaxIndent) runtime.fail("tojson: expected a small indent");
  return std::string(static_cast<std::size_t>(std::max<std::int64_t>(*width, 0)), ' ');
}

Value tojson(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "tojson", arguments,
                    {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensure_ascii = bound.flag_or(0, false);
  style.sort_keys = bound.flag_or(3, false);
  const Value indent = bound.value_or(1, Value());
  if (!indent.is_none()) {
    style.indent = indent_of(runtime, indent);
    style.item_separator = ",";
  }
  const Value separators = bound.value_or(2, Value());
  if (!separators.is_none()) {
    const std::vector<Value> pair = elements(runtime, separators);
    if (pair.size() != 2 || !pair[0].is_text() || !pair[1].is_text()) {
      runtime.fail("tojson: separators must be two strings");
    }
    style.item_separator = pair[0].text().view();
    style.key_separator = pair[1].text().view();
  }
  return runtime.text(to_json(runtime, self, style));
}

// Prints a size in bytes for people: 1.5 kB, or 1.5 KiB.
Value filesizeformat(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "filesizeformat", arguments, {"binary"});
  const auto size = to_float(runtime, self);
  if (!size) runtime.fail("filesizeformat: expected a number");
  const bool binary = bound.flag_or(0, false);
  const double base = binary ? 1024 : 1000;
  if (*size == 1) return Value::plain("1 Byte");
  if (*size < base) return runtime.text(fmt::format("{:.0f} Bytes", std::trunc(*size)), {});
  constexpr std::string_view kLetters = "kMGTPEZY";
  double unit = base * base;
  std::size_t i = 0;
  for (; i + 1 < kLetters.size() && *size >= unit; ++i) unit *= base;
  const std::string letter(1, binary && i == 0 ? 'K' : kLetters[i]);
  return runtime.text(fmt::format("{:.1f} {}{}", base * *size / unit, letter, binary ? "iB" : "B"),
                      {});
}

constexpr std::array<NamedFunction, 14> kFilters = {{
    {"abs", absolute},
    {"attr", attr},
    {"d", or_default},
    {"default", or_default},
    {"filesizeformat", filesizeformat},
    {"float", as_float},
    {"int", as_int},
    {"map", map},
    {"reject", choose<false, false>},
    {"rejectattr", choose<true, false>},
    {"round", round},
    {"select", choose<false, true>},
    {"selectattr", choose<true, true>},
    {"tojson", tojson},
}};

Function filter_named(std::string_view name) noexcept {
  for (const std::span<const NamedFunction> table :
       {std::span<const NamedFunction>(kFilters), string_filters(), sequence_filters()}) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [name](const NamedFunction& f) { return f.name == name; });
    if (found != table.end()) return found->function;
  }
  return {};
}

// A test that takes no arguments.
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

// Whether Jinja takes the value for a sequence: it has a length and supports [].
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

TestFunction test_named(std::string_view name) {
  const auto found = std::find_if(kTests.begin(), kTests.end(),
                                  [name](const NamedTest& test) { return test.name == name; });
  return found == kTests.end() ? TestFunction() : found->function;
}

bool names_test(Runtime&, const Value& value, const Arguments&) {
  return value.is_text() && test_named(value.text().view());
}

}  // namespace

Function find_filter(Runtime& runtime, std::string_view name) {
  const Function function = filter_named(name);
  if (!function) runtime.fail(fmt::format("no filter '{:.40}'", name));
  return function;
}

bool has_filter(std::string_view name) noexcept {
  return static_cast<bool>(filter_named(name));
}

TestFunction find_test(Runtime& runtime, std::string_view name) {
  const TestFunction function = test_named(name);
  if (!function) runtime.fail(fmt::format("no test '{:.40}'", name));
  return function;
}

}  // namespace confab::engine::jinja
