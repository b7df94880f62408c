// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/string_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "engine/prompt/jinja/builtins/format.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

bool in_chars(std::string_view character, std::optional<std::string_view> chars) {
  if (!chars) return is_space(decode(character, 0));
  return find(*chars, character) != std::string_view::npos;
}

template <Side side>
Value strip_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.strip", arguments, {"chars"});
  std::optional<std::string_view> chars;
  if (!bound.value_or(0, Value()).is_none()) chars = bound.text(0).view();
  runtime.work(self.text().size());
  return runtime.text(strip(self.text(), chars, side));
}

// A method without arguments that makes a text anew.
template <Text (*transform)(const Text&)>
Value transform_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "a method of str", arguments, {});
  runtime.work(self.text().size() * 4);
  return runtime.text(transform(self.text()));
}

template <CharClass char_class>
Value class_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "a method of str", arguments, {});
  runtime.work(self.text().size() * 4);
  return all_of_class(self.text().view(), char_class);
}

Value isspace(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.isspace", arguments, {});
  const std::string_view s = self.text().view();
  runtime.work(s.size());
  return !s.empty() && space_end(s) == s.size();
}

Value isascii(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.isascii", arguments, {});
  runtime.work(self.text().size());
  for (const char c : self.text().view()) {
    if ((c & 0x80) != 0) return false;
  }
  return true;
}

// Each run of letters with a capital first and small letters after it.
Text title(const Text& text) {
  const std::string_view s = text.view();
  std::string out;
  std::size_t word = 0;
  for (std::size_t pos = 0; pos <= s.size();) {
    const std::size_t end = pos < s.size() ? char_end(s, pos) : pos + 1;
    const bool letter = pos < s.size() && all_of_class(s.substr(pos, end - pos), CharClass::alpha);
    if (!letter) {
      out += capitalize(Text(std::string(s.substr(word, pos - word)))).view();
      if (pos < s.size()) out += s.substr(pos, end - pos);
      word = end;
    }
    pos = end;
  }
  return text.rewritten(std::move(out));
}

// As lower(), but for the sharp s, which is the one letter in use that differs.
Text casefold(const Text& text) {
  const std::string_view s = text.view();
  std::string spelled;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t next = char_end(s, pos);
    spelled += decode(s, pos) == 0xDF ? std::string_view("ss") : s.substr(pos, next - pos);
    pos = next;
  }
  return text.rewritten(to_lower(spelled));
}

Text swapcase(const Text& text) {
  const std::string_view s = text.view();
  std::string out;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    const std::string_view character = s.substr(pos, end - pos);
    const std::string upper_form = to_upper(character);
    out += upper_form == character ? to_lower(character) : upper_form;
    pos = end;
  }
  return text.rewritten(std::move(out));
}

// `left` and `right` times `fill` around the text.
Text padded(const Text& text, std::int64_t left, std::int64_t right, const Text& fill) {
  Text out;
  for (std::int64_t i = 0; i < left; ++i) out.append(fill);
  out.append(text);
  for (std::int64_t i = 0; i < right; ++i) out.append(fill);
  return std::move(out).as_markup(text.is_markup());
}

// The characters missing to the width that was asked for.
std::int64_t missing_chars(Runtime& runtime, const Text& text, std::int64_t width) {
  runtime.work(text.size());
  if (width > static_cast<std::int64_t>(kMaxTextBytes / 4)) runtime.fail("the width is too large");
  return std::max<std::int64_t>(width - static_cast<std::int64_t>(count_chars(text.view())), 0);
}

Text fill_character(Runtime& runtime, const Bound& bound) {
  Text fill = bound.text_or(1, " ");
  if (count_chars(fill.view()) != 1) runtime.fail("the fill character must be one character long");
  return fill;
}

template <Side side>
Value justify(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.ljust", arguments, {"width", "fillchar"});
  const Text fill = fill_character(runtime, bound);
  const std::int64_t missing = missing_chars(runtime, self.text(), bound.integer(0));
  const std::int64_t left = side == Side::right ? missing : 0;
  return runtime.text(padded(self.text(), left, missing - left, fill));
}

Value center_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.center", arguments, {"width", "fillchar"});
  return runtime.text(
      center(runtime, self.text(), bound.integer(0), fill_character(runtime, bound)));
}

Value zfill(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.zfill", arguments, {"width"});
  const Text& text = self.text();
  const std::int64_t missing = missing_chars(runtime, text, bound.integer(0));
  const bool sign = text.view().starts_with('-') || text.view().starts_with('+');
  Text out = text.slice(0, sign ? 1 : 0);
  out.append(padded(text.slice(sign ? 1 : 0, text.size()), missing, 0, Text("0")));
  return runtime.text(std::move(out));
}

// Tabs become spaces up to the next multiple of the size, counted from the start of the line.
Value expandtabs(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.expandtabs", arguments, {"tabsize"});
  const std::int64_t size = std::clamp<std::int64_t>(bound.integer_or(0, 8), 0, 1000);
  const std::string_view s = self.text().view();
  runtime.work(s.size() * 2);
  Text out;
  std::int64_t column = 0;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    if (s[pos] == '\t') {
      const std::int64_t n = size == 0 ? 0 : size - column % size;
      out.append(std::string(static_cast<std::size_t>(n), ' '));
      column += n;
    } else {
      out.append(self.text(), pos, end);
      column = s[pos] == '\n' || s[pos] == '\r' ? 0 : column + 1;
    }
    if (out.size() > kMaxTextBytes) runtime.fail("str.expandtabs: the result is too long");
    pos = end;
  }
  return runtime.text(std::move(out).as_markup(self.text().is_markup()));
}

Value isidentifier(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.isidentifier", arguments, {});
  const std::string_view s = self.text().view();
  runtime.work(s.size() * 4);
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    const CharClass allowed = pos == 0 ? CharClass::alpha : CharClass::alnum;
    if (s[pos] != '_' && !all_of_class(s.substr(pos, end - pos), allowed)) return false;
    pos = end;
  }
  return !s.empty();
}

// A capital at the start of each run of letters and nowhere else, at least one.
Value istitle(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.istitle", arguments, {});
  const std::string_view s = self.text().view();
  runtime.work(s.size() * 8);
  bool any = false, in_word = false;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    const std::string_view character = s.substr(pos, end - pos);
    const bool capital = all_of_class(character, CharClass::upper);
    const bool small = all_of_class(character, CharClass::lower);
    if ((capital && in_word) || (small && !in_word)) return false;
    any = any || capital;
    in_word = capital || small;
    pos = end;
  }
  return any;
}

Value join(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.join", arguments, {"iterable"});
  Text joined;
  bool first = true;
  for (const Value& item : elements(runtime, bound.value(0))) {
    if (!item.is_text()) {
      runtime.fail(fmt::format("str.join: found {} in the list, expected str", item.type_name()));
    }
    if (!first) joined.append(self.text());
    first = false;
    joined.append(item.text());
    if (joined.size() > kMaxTextBytes) runtime.fail("str.join: the result is too long");
  }
  return runtime.text(std::move(joined));
}

Value format(Runtime& runtime, const Value& self, const Arguments& arguments) {
  return format_braces(runtime, self.text(), arguments);
}

Value format_map(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.format_map", arguments, {"mapping"});
  const Dict* dict = bound.value(0).dict();
  if (dict == nullptr) runtime.fail("str.format_map: expected a mapping");
  Arguments named;
  for (const auto& [key, value] : dict->items) {
    if (key.is_text()) named.named.emplace_back(key.text().view(), value);
  }
  return format_braces(runtime, self.text(), named);
}

constexpr std::array<NamedFunction, 29> kMethods = {{
    {"capitalize", transform_method<capitalize>},
    {"casefold", transform_method<casefold>},
    {"center", center_method},
    {"expandtabs", expandtabs},
    {"format", format},
    {"format_map", format_map},
    {"isalnum", class_method<CharClass::alnum>},
    {"isalpha", class_method<CharClass::alpha>},
    {"isascii", isascii},
    {"isdecimal", class_method<CharClass::decimal>},
    {"isdigit", class_method<CharClass::digit>},
    {"isidentifier", isidentifier},
    {"islower", class_method<CharClass::lower>},
    {"isnumeric", class_method<CharClass::numeric>},
    {"isprintable", class_method<CharClass::printable>},
    {"isspace", isspace},
    {"istitle", istitle},
    {"isupper", class_method<CharClass::upper>},
    {"join", join},
    {"ljust", justify<Side::left>},
    {"lower", transform_method<lower>},
    {"lstrip", strip_method<Side::left>},
    {"rjust", justify<Side::right>},
    {"rstrip", strip_method<Side::right>},
    {"strip", strip_method<Side::both>},
    {"swapcase", transform_method<swapcase>},
    {"title", transform_method<title>},
    {"upper", transform_method<upper>},
    {"zfill", zfill},
}};

}  // namespace

std::span<const NamedFunction> string_methods() noexcept {
  return kMethods;
}

Text strip(const Text& text, std::optional<std::string_view> chars, Side side) {
  const std::string_view s = text.view();
  std::size_t begin = 0;
  std::size_t end = s.size();
  while (side != Side::right && begin < end) {
    const std::size_t next = char_end(s, begin);
    if (!in_chars(s.substr(begin, next - begin), chars)) break;
    begin = next;
  }
  while (side != Side::left && begin < end) {
    const std::size_t last = char_begin(s, end);
    if (!in_chars(s.substr(last, end - last), chars)) break;
    end = last;
  }
  return text.slice(begin, end);
}

Text upper(const Text& text) {
  return text.rewritten(to_upper(text.view()));
}

Text lower(const Text& text) {
  return text.rewritten(to_lower(text.view()));
}

Text capitalize(const Text& text) {
  const std::string_view s = text.view();
  const std::size_t first = s.empty() ? 0 : char_end(s, 0);
  return text.rewritten(to_title(s.substr(0, first)) + to_lower(s.substr(first)));
}

// An odd space goes where Python puts it: left when the width is odd.
Text center(Runtime& runtime, const Text& text, std::int64_t width, const Text& fill) {
  const std::int64_t missing = missing_chars(runtime, text, width);
  const std::int64_t left = missing / 2 + (missing & width & 1);
  return padded(text, left, missing - left, fill);
}

}  // namespace confab::engine::jinja
