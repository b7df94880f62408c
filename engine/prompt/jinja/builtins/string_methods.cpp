// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/string_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/prompt/jinja/builtins/format.h"
#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

// The cost of mapping the case of a text besides its length, in bytes of work: a new string, and a
// PCRE2 search if it is not ASCII.
constexpr std::size_t kCaseBytes = 64;
constexpr std::size_t kUnicodeCaseBytes = 1024;

void count_case(Runtime& runtime, std::string_view s) {
  runtime.work(s.size() * 4 + (is_ascii(s) ? kCaseBytes : kUnicodeCaseBytes));
}

// A set of characters.
class CharSet {
 public:
  explicit CharSet(std::string_view chars) {
    for (std::size_t pos = 0; pos < chars.size();) {
      const std::size_t end = char_end(chars, pos);
      if (end - pos == 1) {
        bytes_[static_cast<unsigned char>(chars[pos])] = true;
      } else {
        code_points_.resize(kNotUtf8);
        code_points_[decode(chars, pos)] = true;
      }
      pos = end;
    }
  }
  bool contains(std::string_view character) const {
    if (character.size() == 1) return bytes_[static_cast<unsigned char>(character[0])];
    return !code_points_.empty() && code_points_[decode(character, 0)];
  }

 private:
  std::array<bool, 256> bytes_{};  // ASCII, and bytes that are not UTF-8
  std::vector<bool> code_points_;  // the others; empty if there are none
};

template <Side side>
Value strip_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.strip", arguments, {"chars"});
  std::optional<std::string_view> chars;
  if (!bound.value_or(0, Value()).is_none()) chars = bound.text(0).view();
  return runtime.text(strip(self.text(), chars, side));
}

// A method without arguments that rewrites a text.
template <Text (*transform)(Runtime&, const Text&)>
Value transform_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "a method of str", arguments, {});
  return runtime.text(transform(runtime, self.text()));
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
  return !s.empty() && space_end(s) == s.size();
}

Value isascii(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.isascii", arguments, {});
  return is_ascii(self.text().view());
}

// Makes the first letter of each run of letters upper case and the others lower case.
Text title(Runtime& runtime, const Text& text) {
  const std::string_view s = text.view();
  std::string out;
  std::size_t word = 0;
  for (std::size_t pos = 0; pos <= s.size();) {
    const std::size_t end = pos < s.size() ? char_end(s, pos) : pos + 1;
    const bool letter =
        pos < s.size() && is_of_class(runtime, s.substr(pos, end - pos), CharClass::alpha);
    if (!letter) {
      out += capitalize(runtime, Text(std::string(s.substr(word, pos - word)))).view();
      if (pos < s.size()) out += s.substr(pos, end - pos);
      word = end;
    }
    pos = end;
  }
  return text.rewritten(std::move(out));
}

// Like lower(), except for the sharp s, the only letter in common use that differs.
Text casefold(Runtime& runtime, const Text& text) {
  const std::string_view s = text.view();
  count_case(runtime, s);
  std::string spelled;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t next = char_end(s, pos);
    spelled += decode(s, pos) == 0xDF ? std::string_view("ss") : s.substr(pos, next - pos);
    pos = next;
  }
  return text.rewritten(to_lower(spelled));
}

Text swapcase(Runtime& runtime, const Text& text) {
  const std::string_view s = text.view();
  std::string out;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    const std::string_view character = s.substr(pos, end - pos);
    count_case(runtime, character);
    const std::string upper_form = to_upper(character);
    out += upper_form == character ? to_lower(character) : upper_form;
    pos = end;
  }
  return text.rewritten(std::move(out));
}

// The number of fill characters on each side of the text.
struct Padding {
  std::int64_t left;
  std::int64_t right;
};
Text padded(Runtime& runtime, const Text& text, Padding padding, const Text& fill) {
  TextBuilder out(runtime);
  out.append_times(fill, static_cast<std::size_t>(padding.left));
  out.append(text);
  out.append_times(fill, static_cast<std::size_t>(padding.right));
  return std::move(out).take().as_markup(text.is_markup());
}

// The number of characters that the text is short of the width.
std::int64_t missing_chars(Runtime& runtime, const Text& text, std::int64_t width) {
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
  return runtime.text(padded(runtime, self.text(), {left, missing - left}, fill));
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
  out.append(padded(runtime, text.slice(sign ? 1 : 0, text.size()), {missing, 0}, Text("0")));
  return runtime.text(std::move(out));
}

// Tabs become spaces up to the next multiple of the size, counted from the start of the line.
Value expandtabs(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.expandtabs", arguments, {"tabsize"});
  const std::int64_t size = std::clamp<std::int64_t>(bound.integer_or(0, 8), 0, 1000);
  const std::string_view s = self.text().view();
  TextBuilder out(runtime);
  std::int64_t column = 0;
  std::size_t done = 0;
  for (std::size_t pos = 0; pos < s.size(); pos = char_end(s, pos)) {
    if (s[pos] != '\t') {
      column = s[pos] == '\n' || s[pos] == '\r' ? 0 : column + 1;
      continue;
    }
    const std::int64_t n = size == 0 ? 0 : size - column % size;
    out.append(self.text(), done, pos);
    out.append(std::string(static_cast<std::size_t>(n), ' '));
    column += n;
    done = pos + 1;
  }
  out.append(self.text(), done, s.size());
  return std::move(out).finish(self.text().is_markup());
}

Value isidentifier(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.isidentifier", arguments, {});
  const std::string_view s = self.text().view();
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    const CharClass allowed = pos == 0 ? CharClass::alpha : CharClass::alnum;
    if (s[pos] != '_' && !is_of_class(runtime, s.substr(pos, end - pos), allowed)) return false;
    pos = end;
  }
  return !s.empty();
}

// Whether each run of letters has a capital at its start and nowhere else, and there is at least
// one.
Value istitle(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.istitle", arguments, {});
  const std::string_view s = self.text().view();
  bool any = false, in_word = false;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    const std::string_view character = s.substr(pos, end - pos);
    const bool capital = is_of_class(runtime, character, CharClass::upper);
    const bool small = is_of_class(runtime, character, CharClass::lower);
    if ((capital && in_word) || (small && !in_word)) return false;
    any = any || capital;
    in_word = capital || small;
    pos = end;
  }
  return any;
}

Value join(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.join", arguments, {"iterable"});
  TextBuilder joined(runtime);
  bool first = true;
  for (const Value& item : elements(runtime, bound.value(0))) {
    if (!item.is_text()) {
      runtime.fail(fmt::format("str.join: found {} in the list, expected str", item.type_name()));
    }
    if (!first) joined.append(self.text());
    first = false;
    joined.append(item.text());
  }
  return std::move(joined).finish();
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
    if (!key.is_text()) continue;
    runtime.work(key.text().size() + sizeof(Value));
    named.named.emplace_back(key.text().view(), value);
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
  const CharSet stripped(chars.value_or(""));
  const auto goes = [&](std::string_view character) {
    return chars ? stripped.contains(character) : is_space(decode(character, 0));
  };
  std::size_t begin = 0;
  std::size_t end = s.size();
  while (side != Side::right && begin < end) {
    const std::size_t next = char_end(s, begin);
    if (!goes(s.substr(begin, next - begin))) break;
    begin = next;
  }
  while (side != Side::left && begin < end) {
    const std::size_t last = char_begin(s, end);
    if (!goes(s.substr(last, end - last))) break;
    end = last;
  }
  return text.slice(begin, end);
}

Text upper(Runtime& runtime, const Text& text) {
  count_case(runtime, text.view());
  return text.rewritten(to_upper(text.view()));
}

Text lower(Runtime& runtime, const Text& text) {
  count_case(runtime, text.view());
  return text.rewritten(to_lower(text.view()));
}

Text capitalize(Runtime& runtime, const Text& text) {
  const std::string_view s = text.view();
  count_case(runtime, s);
  const std::size_t first = s.empty() ? 0 : char_end(s, 0);
  return text.rewritten(to_title(s.substr(0, first)) + to_lower(s.substr(first)));
}

// An odd fill character goes where Python puts it: left if the width is odd.
Text center(Runtime& runtime, const Text& text, std::int64_t width, const Text& fill) {
  const std::int64_t missing = missing_chars(runtime, text, width);
  const std::int64_t left = missing / 2 + (missing & width & 1);
  return padded(runtime, text, {left, missing - left}, fill);
}

}  // namespace confab::engine::jinja
