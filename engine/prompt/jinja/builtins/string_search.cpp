// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/string_search.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

constexpr auto kNone = std::string_view::npos;

std::int64_t unlimited_if_negative(std::int64_t count) {
  return count < 0 ? kUnlimited : count;
}

// The range of bytes chosen by the arguments start and end, which count characters, as in str.find.
struct Range {
  std::size_t begin;
  std::size_t end;
};

Range chosen_range(std::string_view s, const Bound& bound, std::size_t first) {
  if (!bound.has(first) && !bound.has(first + 1)) return {0, s.size()};
  const auto n_chars = static_cast<std::int64_t>(count_chars(s));
  const auto place = [&](std::int64_t i) {
    return std::clamp<std::int64_t>(i < 0 ? i + n_chars : i, 0, n_chars);
  };
  const auto begin = static_cast<std::size_t>(place(bound.integer_or(first, 0)));
  const auto end = static_cast<std::size_t>(place(bound.integer_or(first + 1, n_chars)));
  return {char_offset(s, std::min(begin, end)), char_offset(s, end)};
}

Value count(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.count", arguments, {"sub", "start", "end"});
  const std::string_view needle = bound.text(0).view();
  const Range range = chosen_range(self.text().view(), bound, 1);
  const std::string_view s = self.text().view().substr(range.begin, range.end - range.begin);
  if (needle.empty()) return static_cast<std::int64_t>(count_chars(s)) + 1;
  std::int64_t n = 0;
  for (std::size_t at = find(s, needle); at != kNone; at = find(s, needle, at + needle.size())) ++n;
  return n;
}

// The position in characters, or -1.
std::int64_t find_in(const Value& self, const Bound& bound, bool last) {
  const std::string_view whole = self.text().view();
  const Range range = chosen_range(whole, bound, 1);
  const std::string_view s = whole.substr(range.begin, range.end - range.begin);
  const std::string_view needle = bound.text(0).view();
  const std::size_t at = last ? find_last(s, needle) : find(s, needle);
  return at == kNone ? -1
                     : static_cast<std::int64_t>(count_chars(whole.substr(0, range.begin + at)));
}

Value find_first(Runtime& runtime, const Value& self, const Arguments& arguments) {
  return find_in(self, Bound(runtime, "str.find", arguments, {"sub", "start", "end"}), false);
}

Value rfind(Runtime& runtime, const Value& self, const Arguments& arguments) {
  return find_in(self, Bound(runtime, "str.rfind", arguments, {"sub", "start", "end"}), true);
}

Value index(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.index", arguments, {"sub", "start", "end"});
  const std::int64_t place = find_in(self, bound, false);
  if (place < 0) runtime.fail("substring not found");
  return place;
}

Value rindex(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.rindex", arguments, {"sub", "start", "end"});
  const std::int64_t place = find_in(self, bound, true);
  if (place < 0) runtime.fail("substring not found");
  return place;
}

std::string_view chosen_part(std::string_view s, const Bound& bound) {
  const Range range = chosen_range(s, bound, 1);
  return s.substr(range.begin, range.end - range.begin);
}

// Whether the predicate holds for the argument, or for one item of a tuple.
template <class Holds>
bool any_affix(Runtime& runtime, const Bound& bound, Holds holds) {
  const List* several = bound.value(0).list();
  if (several == nullptr) return holds(bound.text(0).view());
  return std::any_of(several->items.begin(), several->items.end(), [&](const Value& item) {
    if (!item.is_text()) runtime.fail("startswith and endswith: expected str or a tuple of str");
    runtime.step();
    runtime.work(item.text().size());
    return holds(item.text().view());
  });
}

Value startswith(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.startswith", arguments, {"prefix", "start", "end"});
  const std::string_view s = chosen_part(self.text().view(), bound);
  return any_affix(runtime, bound, [s](std::string_view part) { return s.starts_with(part); });
}

Value endswith(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.endswith", arguments, {"suffix", "start", "end"});
  const std::string_view s = chosen_part(self.text().view(), bound);
  return any_affix(runtime, bound, [s](std::string_view part) { return s.ends_with(part); });
}

Value removeprefix(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.removeprefix", arguments, {"prefix"});
  const Text& text = self.text();
  const std::string_view prefix = bound.text(0).view();
  if (!text.view().starts_with(prefix)) return self;
  return runtime.text(text.slice(prefix.size(), text.size()));
}

Value removesuffix(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.removesuffix", arguments, {"suffix"});
  const Text& text = self.text();
  const std::string_view suffix = bound.text(0).view();
  if (!text.view().ends_with(suffix)) return self;
  return runtime.text(text.slice(0, text.size() - suffix.size()));
}

Value replace_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.replace", arguments, {"old", "new", "count"});
  return runtime.text(
      replace(runtime, self.text(), bound.text(0), bound.text(1), bound.integer_or(2, -1)));
}

Value partition_at(Runtime& runtime, const Value& self, const Text& separator, std::size_t at) {
  const Text& text = self.text();
  return runtime.list({runtime.text(text.slice(0, at)), runtime.text(separator),
                       runtime.text(text.slice(at + separator.size(), text.size()))},
                      ListKind::tuple);
}

Value partition(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.partition", arguments, {"sep"});
  if (bound.text(0).empty()) runtime.fail("empty separator");
  const std::size_t at = find(self.text().view(), bound.text(0).view());
  if (at != kNone) return partition_at(runtime, self, bound.text(0), at);
  return runtime.list({self, Value::plain(""), Value::plain("")}, ListKind::tuple);
}

Value rpartition(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.rpartition", arguments, {"sep"});
  if (bound.text(0).empty()) runtime.fail("empty separator");
  const std::size_t at = find_last(self.text().view(), bound.text(0).view());
  if (at != kNone) return partition_at(runtime, self, bound.text(0), at);
  return runtime.list({Value::plain(""), Value::plain(""), self}, ListKind::tuple);
}

// Collects pieces of one text as values.
class Pieces {
 public:
  Pieces(Runtime& runtime, const Text& text) : runtime_(runtime), text_(text) {}
  void add(std::size_t begin, std::size_t end) {
    values_.push_back(runtime_.text(text_.slice(begin, end)));
  }
  Value finish(bool reversed) {
    if (reversed) std::reverse(values_.begin(), values_.end());
    return runtime_.list(std::move(values_));
  }

 private:
  Runtime& runtime_;
  const Text& text_;
  std::vector<Value> values_;
};

Value split_at_space(Runtime& runtime, const Text& text, std::int64_t limit) {
  Pieces pieces(runtime, text);
  for_each_word(text.view(), limit,
                [&](std::size_t begin, std::size_t end) { pieces.add(begin, end); });
  return pieces.finish(false);
}

Value rsplit_at_space(Runtime& runtime, const Text& text, std::int64_t limit) {
  const std::string_view s = text.view();
  Pieces pieces(runtime, text);
  std::size_t end = trailing_space_begin(s);
  for (std::int64_t n = 0; end > 0 && n < limit; ++n) {
    std::size_t begin = end;
    while (begin > 0 && !is_space(decode(s, char_begin(s, begin)))) begin = char_begin(s, begin);
    pieces.add(begin, end);
    end = trailing_space_begin(s.substr(0, begin));
  }
  if (end > 0) pieces.add(0, end);
  return pieces.finish(true);
}

Value split(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.split", arguments, {"sep", "maxsplit"});
  const Text& text = self.text();
  const std::int64_t limit = unlimited_if_negative(bound.integer_or(1, -1));
  if (bound.value_or(0, Value()).is_none()) return split_at_space(runtime, text, limit);
  const std::string_view separator = bound.text(0).view();
  if (separator.empty()) runtime.fail("empty separator");
  Pieces pieces(runtime, text);
  std::size_t begin = 0;
  for (std::int64_t n = 0; n < limit; ++n) {
    const std::size_t at = find(text.view(), separator, begin);
    if (at == kNone) break;
    pieces.add(begin, at);
    begin = at + separator.size();
  }
  pieces.add(begin, text.size());
  return pieces.finish(false);
}

Value rsplit(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.rsplit", arguments, {"sep", "maxsplit"});
  const Text& text = self.text();
  const std::int64_t limit = unlimited_if_negative(bound.integer_or(1, -1));
  if (bound.value_or(0, Value()).is_none()) return rsplit_at_space(runtime, text, limit);
  const std::string_view separator = bound.text(0).view();
  if (separator.empty()) runtime.fail("empty separator");
  Pieces pieces(runtime, text);
  std::size_t end = text.size();
  for (std::int64_t n = 0; n < limit; ++n) {
    const std::size_t at = find_last(text.view().substr(0, end), separator);
    if (at == kNone) break;
    pieces.add(at + separator.size(), end);
    end = at;
  }
  pieces.add(0, end);
  return pieces.finish(true);
}

Value splitlines(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "str.splitlines", arguments, {"keepends"});
  std::vector<Value> lines;
  for (Text& line : split_lines(runtime, self.text(), bound.flag_or(0, false))) {
    lines.push_back(runtime.text(std::move(line)));
  }
  return runtime.list(std::move(lines));
}

constexpr std::array<NamedFunction, 15> kMethods = {{
    {"count", count},
    {"endswith", endswith},
    {"find", find_first},
    {"index", index},
    {"partition", partition},
    {"removeprefix", removeprefix},
    {"removesuffix", removesuffix},
    {"replace", replace_method},
    {"rfind", rfind},
    {"rindex", rindex},
    {"rpartition", rpartition},
    {"rsplit", rsplit},
    {"split", split},
    {"splitlines", splitlines},
    {"startswith", startswith},
}};

}  // namespace

std::span<const NamedFunction> string_search_methods() noexcept {
  return kMethods;
}

Text replace(Runtime& runtime, const Text& text, const Text& from, const Text& to,
             std::int64_t count) {
  const std::string_view s = text.view();
  const std::int64_t limit = unlimited_if_negative(count);
  const Text put_in = text.is_markup() ? to_markup(to) : to;
  TextBuilder out(runtime);
  std::size_t pos = 0;
  for (std::int64_t n = 0; n < limit; ++n) {
    // An empty `from` is found before each character and at the end.
    const std::size_t at = from.empty() ? (n == 0 || pos >= s.size() ? pos : char_end(s, pos))
                                        : find(s, from.view(), pos);
    if (at == kNone || (from.empty() && n > 0 && pos >= s.size())) break;
    out.append(text, pos, at);
    out.append(put_in);
    pos = at + from.size();
  }
  out.append(text, pos, text.size());
  return std::move(out).take().as_markup(text.is_markup());
}

std::vector<Text> split_lines(Runtime& runtime, const Text& text, bool keep_ends) {
  const std::string_view s = text.view();
  std::vector<Text> lines;
  const auto add = [&](std::size_t begin, std::size_t end) {
    runtime.work(end - begin + sizeof(Text));
    lines.push_back(text.slice(begin, end));
  };
  std::size_t begin = 0;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t here = pos;
    pos = char_end(s, pos);
    if (!is_line_break(decode(s, here))) continue;
    if (s[here] == '\r' && pos < s.size() && s[pos] == '\n') ++pos;
    add(begin, keep_ends ? pos : here);
    begin = pos;
  }
  if (begin < s.size()) add(begin, s.size());
  return lines;
}

}  // namespace confab::engine::jinja
