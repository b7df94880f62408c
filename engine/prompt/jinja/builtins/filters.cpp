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

#include "engine/prompt/jinja/builtins/html_filters.h"
#include "engine/prompt/jinja/builtins/selection_filters.h"
#include "engine/prompt/jinja/builtins/sequence_filters.h"
#include "engine/prompt/jinja/builtins/string_filters.h"
#include "engine/prompt/jinja/builtins/to_json.h"
#include "engine/prompt/jinja/operators.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

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

// The digits of a string that may spell a number, white space and a plus aside.
std::string bare_digits(const Text& text) {
  std::string digits = without_underscores(strip(text, std::nullopt, Side::both).view());
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.erase(0, 1);
  return digits;
}

// The number a string spells. Empty when it spells none.
std::optional<std::int64_t> parse_integer(const Text& text, int base) {
  const std::string digits = bare_digits(text);
  const char* end = digits.data() + digits.size();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// libc++ has from_chars() for floating point since version 20 only. strtod() takes hexadecimal
// digits and white space besides, which are no numbers here.
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

// 0x1F, 0o17, 0b1 as int(text, base) takes them.
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
  // The decimal digits round correctly where multiplying by a power of ten does not.
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

// A size in bytes as people read it: 1.5 kB, or 1.5 KiB.
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

constexpr std::array<NamedFunction, 9> kFilters = {{
    {"abs", absolute},
    {"attr", attr},
    {"d", or_default},
    {"default", or_default},
    {"filesizeformat", filesizeformat},
    {"float", as_float},
    {"int", as_int},
    {"round", round},
    {"tojson", tojson},
}};

Function lookup(std::string_view name) noexcept {
  for (const std::span<const NamedFunction> table :
       {std::span<const NamedFunction>(kFilters), string_filters(), html_filters(),
        sequence_filters(), selection_filters()}) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [name](const NamedFunction& f) { return f.name == name; });
    if (found != table.end()) return found->function;
  }
  return {};
}

}  // namespace

Function find_filter(Runtime& runtime, std::string_view name) {
  const Function function = lookup(name);
  if (!function) runtime.fail(fmt::format("no filter '{:.40}'", name));
  return function;
}

bool has_filter(std::string_view name) noexcept {
  return static_cast<bool>(lookup(name));
}

}  // namespace confab::engine::jinja
