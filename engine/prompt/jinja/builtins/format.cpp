// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "engine/prompt/jinja/repr.h"
#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

constexpr int kMaxWidth = 1000;

// One conversion of either syntax.
struct Spec {
  std::string fill = " ";
  char align = '\0';  // < > ^ =; '\0' depends on the kind of value
  char sign = '-';    // '+' or ' ' is also written before positive numbers
  bool alternate = false;
  bool thousands = false;
  int width = 0;
  int precision = -1;
  char type = '\0';
  bool escapes = false;  // the pattern is markup, so the value is escaped
};

std::string with_thousands(std::string digits) {
  const std::size_t point = std::min(digits.find('.'), digits.size());
  for (std::size_t i = point; i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string integer_digits(std::uint64_t magnitude, const Spec& spec) {
  const auto prefix = [&spec](std::string_view text) { return spec.alternate ? text : ""; };
  switch (spec.type) {
    case 'x':
      return fmt::format("{}{:x}", prefix("0x"), magnitude);
    case 'X':
      return fmt::format("{}{:X}", prefix("0X"), magnitude);
    case 'o':
      return fmt::format("{}{:o}", prefix("0o"), magnitude);
    case 'b':
      return fmt::format("{}{:b}", prefix("0b"), magnitude);
    default:
      return fmt::format("{}", magnitude);
  }
}

std::string float_digits(double magnitude, const Spec& spec) {
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.type) {
    case 'e':
      return fmt::format("{:.{}e}", magnitude, precision);
    case 'E':
      return fmt::format("{:.{}E}", magnitude, precision);
    case 'g':
      return fmt::format("{:.{}g}", magnitude, precision);
    case 'G':
      return fmt::format("{:.{}G}", magnitude, precision);
    case '%':
      return fmt::format("{:.{}f}%", magnitude * 100.0, precision);
    case '\0':
      if (spec.precision < 0) return float_repr(magnitude);
      return fmt::format("{:.{}g}", magnitude, precision);
    default:
      return fmt::format("{:.{}f}", magnitude, precision);
  }
}

// Whether the type formats an integer, or a floating-point number.
bool is_integer_type(char type) {
  return std::string_view("diuxXob").find(type) < 7;
}
bool is_float_type(char type) {
  return std::string_view("eEfFgG%").find(type) < 7;
}

std::string number_text(Runtime& runtime, const Value& value, const Spec& spec, bool& negative) {
  const auto integer = value.integer();
  if (!value.is_number()) {
    runtime.fail(
        fmt::format("format '{}': a number is required, not {}", spec.type, value.type_name()));
  }
  const bool as_float = is_float_type(spec.type) || (!integer && spec.type == '\0');
  std::string digits;
  if (as_float) {
    negative = std::signbit(value.number());
    digits = float_digits(std::abs(value.number()), spec);
  } else {
    if (!integer && std::abs(value.number()) >= 9e18) runtime.fail("the number is too large");
    const std::int64_t number = integer ? *integer : static_cast<std::int64_t>(value.number());
    negative = number < 0;
    const auto bits = static_cast<std::uint64_t>(number);
    digits = integer_digits(negative ? 0 - bits : bits, spec);
  }
  return spec.thousands ? with_thousands(digits) : digits;
}

void check_character(Runtime& runtime, const Value& value) {
  if (!value.is_text() || count_chars(value.text().view()) != 1) {
    runtime.fail("%c requires int or char");
  }
}

// Appends the value, padded to its width. Strings keep their marks.
void append_value(Runtime& runtime, const Value& value, const Spec& spec, TextBuilder& out) {
  runtime.step(1 + static_cast<std::size_t>(std::max(spec.precision, 0)) / 8);
  const bool numeric = is_integer_type(spec.type) || is_float_type(spec.type) ||
                       (spec.type == '\0' && (value.is_integer() || value.is_float()));
  Text body;
  std::string prefix;
  const auto code_point = spec.type == 'c' ? value.integer() : std::nullopt;
  if (code_point) {
    if (*code_point < 0 || *code_point > 0x10FFFF) runtime.fail("%c arg not in range(0x110000)");
    std::string character;
    append_utf8(character, static_cast<char32_t>(*code_point));
    body = Text(std::move(character));
  } else if (numeric) {
    bool negative = false;
    body = Text(number_text(runtime, value, spec, negative));
    prefix = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
  } else {
    if (spec.type == 'c') check_character(runtime, value);
    const bool as_repr = spec.type == 'r' || spec.type == 'a';
    body = as_repr ? repr(runtime, value) : to_text(runtime, value);
    if (spec.escapes) body = to_markup(body);
    if (spec.precision >= 0) {
      const auto n_chars = static_cast<std::size_t>(spec.precision);
      body = body.slice(0, char_offset(body.view(), n_chars));
    }
  }
  const std::size_t used = prefix.size() + count_chars(body.view());
  const auto width = static_cast<std::size_t>(spec.width);
  const std::size_t missing = width > used ? width - used : 0;
  const char align = spec.align != '\0' ? spec.align : numeric ? '>' : '<';
  const std::size_t left = align == '^' ? missing / 2 : align == '<' ? 0 : missing;
  const Text fill(spec.fill);
  if (align == '=') out.append(prefix);
  out.append_times(fill, left);
  if (align != '=') out.append(prefix);
  out.append(body);
  out.append_times(fill, missing - left);
}

// A cursor over the pattern.
struct Pattern {
  Runtime& runtime;
  std::string_view s;
  std::size_t pos = 0;

  bool at_end() const { return pos >= s.size(); }
  char peek() const { return at_end() ? '\0' : s[pos]; }
  bool accept(char c) {
    if (peek() != c || at_end()) return false;
    ++pos;
    return true;
  }
  // Reads a number; -1 if there is none.
  int number() {
    int n = -1;
    for (; peek() >= '0' && peek() <= '9'; ++pos) {
      n = std::max(n, 0) * 10 + (peek() - '0');
      if (n > kMaxWidth) runtime.fail(fmt::format("a format needs more than {}", kMaxWidth));
    }
    return n;
  }
};

// Parses what follows a '%', up to and including the type.
Spec parse_percent(Pattern& in) {
  Spec spec;
  spec.align = '>';
  for (bool flag = true; flag;) {
    flag = true;
    if (in.accept('-')) {
      spec.align = '<';
    } else if (in.accept('0')) {
      if (spec.align != '<') spec.align = '=';
    } else if (in.accept('+')) {
      spec.sign = '+';
    } else if (in.accept(' ')) {
      if (spec.sign != '+') spec.sign = ' ';
    } else if (in.accept('#')) {
      spec.alternate = true;
    } else {
      flag = false;
    }
  }
  if (spec.align == '=') spec.fill = "0";
  spec.width = std::max(in.number(), 0);
  if (in.accept('.')) spec.precision = std::max(in.number(), 0);
  spec.type = in.peek();
  if (std::string_view("diuxXoeEfFgGsra%c").find(spec.type) == std::string_view::npos ||
      in.at_end()) {
    in.runtime.fail("unsupported or incomplete format after '%'");
  }
  ++in.pos;
  return spec;
}

// Parses [[fill]align][sign][#][0][width][,][.precision][type].
Spec parse_spec(Runtime& runtime, std::string_view text) {
  Pattern in{runtime, text};
  Spec spec;
  const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  const std::size_t fill_end = text.empty() ? 0 : char_end(text, 0);
  if (fill_end < text.size() && is_align(text[fill_end])) {
    spec.fill = text.substr(0, fill_end);
    in.pos = fill_end;
  }
  if (is_align(in.peek())) spec.align = text[in.pos++];
  if (in.peek() == '+' || in.peek() == ' ' || in.peek() == '-') spec.sign = text[in.pos++];
  spec.alternate = in.accept('#');
  if (in.accept('0') && spec.align == '\0') {
    spec.fill = "0";
    spec.align = '=';
  }
  spec.width = std::max(in.number(), 0);
  spec.thousands = in.accept(',');
  if (in.accept('.')) spec.precision = std::max(in.number(), 0);
  if (!in.at_end()) spec.type = text[in.pos++];
  if (!in.at_end() || (spec.type != '\0' && !is_integer_type(spec.type) &&
                       !is_float_type(spec.type) && spec.type != 's')) {
    runtime.fail("invalid format specification");
  }
  return spec;
}

// Supplies the values for '%' conversions.
class PercentArguments {
 public:
  PercentArguments(Runtime& runtime, const Value& value) : runtime_(runtime), value_(value) {
    const List* list = value.list();
    tuple_ = list != nullptr && list->kind == ListKind::tuple ? list : nullptr;
  }
  Value next() {
    const std::size_t n = tuple_ == nullptr ? 1 : tuple_->items.size();
    if (used_ >= n) runtime_.fail("not enough arguments for format string");
    const std::size_t i = used_++;
    return tuple_ == nullptr ? value_ : tuple_->items[i];
  }
  Value named(std::string_view name) {
    if (value_.dict() == nullptr) runtime_.fail("format requires a mapping");
    const Value* found = value_.dict()->find(name);
    if (found == nullptr) runtime_.fail(fmt::format("format: no key '{:.40}'", name));
    return *found;
  }
  // A list or dict may stay unused, because the pattern could have used its keys.
  bool all_used() const {
    if (tuple_ != nullptr) return used_ == tuple_->items.size();
    return used_ > 0 || value_.list() != nullptr || value_.dict() != nullptr;
  }

 private:
  Runtime& runtime_;
  const Value& value_;
  const List* tuple_;
  std::size_t used_ = 0;
};

// The value of {field}, which is a position, a name, or empty for the next value in order.
Value brace_argument(Runtime& runtime, std::string_view field, const Arguments& arguments,
                     std::size_t& next) {
  const bool is_place =
      std::all_of(field.begin(), field.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_place) {
    Pattern in{runtime, field};
    const std::size_t i = field.empty() ? next++ : static_cast<std::size_t>(in.number());
    if (i >= arguments.positional.size()) runtime.fail("format: too few arguments");
    return arguments.positional[i];
  }
  for (const auto& [name, value] : arguments.named) {
    runtime.work(name.size() == field.size() ? field.size() : 1);
    if (name == field) return value;
  }
  runtime.fail(fmt::format("format: no argument '{:.40}'", field));
}

}  // namespace

Value format_percent(Runtime& runtime, const Text& pattern, const Value& value) {
  Pattern in{runtime, pattern.view()};
  PercentArguments arguments(runtime, value);
  TextBuilder out(runtime);
  while (!in.at_end()) {
    const std::size_t percent = std::min(find(in.s, "%", in.pos), in.s.size());
    out.append(pattern, in.pos, percent);
    in.pos = percent;
    if (!in.accept('%')) break;
    if (in.accept('%')) {
      out.append("%");
      continue;
    }
    std::optional<Value> named;
    if (in.accept('(')) {
      const std::size_t close = find(in.s, ")", in.pos);
      if (close == std::string_view::npos) runtime.fail("incomplete format key");
      named = arguments.named(in.s.substr(in.pos, close - in.pos));
      in.pos = close + 1;
    }
    Spec spec = parse_percent(in);
    spec.escapes = pattern.is_markup();
    if (spec.type == '%') {
      out.append("%");
    } else {
      append_value(runtime, named ? *named : arguments.next(), spec, out);
    }
  }
  if (!arguments.all_used()) runtime.fail("not all arguments converted during string formatting");
  return std::move(out).finish(pattern.is_markup());
}

Value format_braces(Runtime& runtime, const Text& pattern, const Arguments& arguments) {
  const std::string_view s = pattern.view();
  TextBuilder out(runtime);
  std::size_t next = 0;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t brace = std::min(s.find_first_of("{}", pos), s.size());
    out.append(pattern, pos, brace);
    if (brace == s.size()) break;
    if (brace + 1 < s.size() && s[brace + 1] == s[brace]) {
      out.append(pattern, brace, brace + 1);
      pos = brace + 2;
      continue;
    }
    const std::size_t close = s.find('}', brace);
    if (s[brace] == '}' || close == std::string_view::npos) {
      runtime.fail("single '{' or '}' in a format string");
    }
    const std::string_view inside = s.substr(brace + 1, close - brace - 1);
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    std::string_view field = inside.substr(0, colon);
    Spec spec = parse_spec(runtime, inside.substr(std::min(colon + 1, inside.size())));
    spec.escapes = pattern.is_markup();
    if (field.ends_with("!r")) spec.type = 'r';
    if (field.ends_with("!r") || field.ends_with("!s")) field.remove_suffix(2);
    append_value(runtime, brace_argument(runtime, field, arguments, next), spec, out);
    pos = close + 1;
  }
  return std::move(out).finish(pattern.is_markup());
}

}  // namespace confab::engine::jinja
