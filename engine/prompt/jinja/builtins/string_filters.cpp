// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/string_filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "engine/prompt/jinja/builtins/format.h"
#include "engine/prompt/jinja/builtins/string_search.h"
#include "engine/prompt/jinja/builtins/wrap.h"
#include "engine/prompt/jinja/repr.h"
#include "engine/prompt/jinja/text_builder.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

// A filter without arguments that makes a text anew; other values are printed first.
template <Text (*transform)(Runtime&, const Text&)>
Value transform_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "a filter", arguments, {});
  return runtime.text(transform(runtime, to_text(runtime, self)));
}

// Words are split at white space, hyphens and opening brackets.
Text title(Runtime& runtime, const Text& text) {
  const std::string_view s = text.view();
  std::string out;
  const auto splits = [s](std::size_t pos) {
    return is_space(decode(s, pos)) || std::string_view("-({[<").find(s[pos]) < 5;
  };
  for (std::size_t pos = 0; pos < s.size();) {
    std::size_t end = pos;
    while (end < s.size() && !splits(end)) end = char_end(s, end);
    out += capitalize(runtime, text.slice(pos, end)).view();
    if (end < s.size()) out += s.substr(end, char_end(s, end) - end);
    pos = end < s.size() ? char_end(s, end) : end;
  }
  return {std::move(out), text.source()};
}

Value string(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "string", arguments, {});
  return self.is_text() ? self : runtime.text(to_text(runtime, self));
}

Value trim(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "trim", arguments, {"chars"});
  std::optional<std::string_view> chars;
  if (!bound.value_or(0, Value()).is_none()) chars = bound.text(0).view();
  return runtime.text(strip(to_text(runtime, self), chars, Side::both));
}

Value replace_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "replace", arguments, {"old", "new", "count"});
  const Text text = to_text(runtime, self).as_markup(false);
  return runtime.text(replace(runtime, text, to_text(runtime, bound.value(0)),
                              to_text(runtime, bound.value(1)), bound.integer_or(2, -1)));
}

Value center_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "center", arguments, {"width"});
  return runtime.text(center(runtime, to_text(runtime, self), bound.integer_or(0, 80)));
}

Value format_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Text pattern = to_text(runtime, self);
  if (arguments.named.empty()) {
    return format_percent(runtime, pattern, runtime.list(arguments.positional, ListKind::tuple));
  }
  if (!arguments.positional.empty()) {
    runtime.fail("format: found positional and keyword arguments, expected one kind");
  }
  DictBuilder named;
  for (const auto& [name, value] : arguments.named) named.set(runtime, Value::plain(name), value);
  return format_percent(runtime, pattern, runtime.dict(std::move(named)));
}

Value indent(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "indent", arguments, {"width", "first", "blank"});
  const Value width = bound.value_or(0, std::int64_t{4});
  Text indentation;
  if (width.is_text()) {
    indentation = width.text();
  } else if (const std::int64_t n = bound.integer_or(0, 4); n > 0) {
    if (n > 1000) runtime.fail("indent: the width is too large");
    indentation = Text(std::string(static_cast<std::size_t>(n), ' '));
  }
  // Jinja adds a line end, so that a last empty line counts, and then drops it with its line.
  Text text = to_text(runtime, self);
  text.append("\n");
  TextBuilder out(runtime);
  bool first = true;
  for (const Text& line : split_lines(runtime, text)) {
    if (!first) out.append("\n");
    const bool wanted = first ? bound.flag_or(1, false) : bound.flag_or(2, false) || !line.empty();
    if (wanted) out.append(indentation);
    out.append(line);
    first = false;
  }
  return std::move(out).finish();
}

Value truncate(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "truncate", arguments, {"length", "killwords", "end", "leeway"});
  const Text text = to_text(runtime, self);
  const Text end = bound.text_or(2, "...");
  const auto n_chars = static_cast<std::int64_t>(count_chars(text.view()));
  const std::int64_t length = bound.integer_or(0, 255);
  const std::int64_t kept = length - static_cast<std::int64_t>(count_chars(end.view()));
  if (kept < 0) runtime.fail("truncate: the length is smaller than that of the end");
  if (n_chars <= length || n_chars - length <= bound.integer_or(3, 5)) return runtime.text(text);
  Text out = text.slice(0, char_offset(text.view(), static_cast<std::size_t>(kept)));
  const std::size_t space = out.view().rfind(' ');
  if (!bound.flag_or(1, false) && space != std::string_view::npos) out = out.slice(0, space);
  out.append(end);
  return runtime.text(std::move(out));
}

Value wordwrap(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "wordwrap", arguments,
                    {"width", "break_long_words", "wrapstring", "break_on_hyphens"});
  const std::int64_t width = bound.integer_or(0, 79);
  if (width < 1) runtime.fail(fmt::format("wordwrap: found width {}, expected at least 1", width));
  const WrapStyle style{static_cast<std::size_t>(width), bound.flag_or(1, true),
                        bound.flag_or(3, true)};
  const Text separator = bound.text_or(2, "\n");
  const Text text = to_text(runtime, self);
  TextBuilder out(runtime);
  bool first_line = true;
  for (const Text& line : split_lines(runtime, text)) {
    if (!std::exchange(first_line, false)) out.append(separator);
    bool first_part = true;
    for (const Text& part : wrap_line(runtime, line, style)) {
      if (!std::exchange(first_part, false)) out.append(separator);
      out.append(part);
    }
  }
  return std::move(out).finish();
}

// Runs of letters, digits and underscores.
Value wordcount(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "wordcount", arguments, {});
  const Text text = to_text(runtime, self);
  const std::string_view s = text.view();
  std::int64_t n = 0;
  bool in_word = false;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    const bool word =
        s[pos] == '_' || is_of_class(runtime, s.substr(pos, end - pos), CharClass::alnum);
    n += word && !in_word ? 1 : 0;
    in_word = word;
    pos = end;
  }
  return n;
}

constexpr std::array<NamedFunction, 13> kFilters = {{
    {"capitalize", transform_filter<capitalize>},
    {"center", center_filter},
    {"format", format_filter},
    {"indent", indent},
    {"lower", transform_filter<lower>},
    {"replace", replace_filter},
    {"string", string},
    {"title", transform_filter<title>},
    {"trim", trim},
    {"truncate", truncate},
    {"upper", transform_filter<upper>},
    {"wordcount", wordcount},
    {"wordwrap", wordwrap},
}};

}  // namespace

std::span<const NamedFunction> string_filters() noexcept {
  return kFilters;
}

}  // namespace confab::engine::jinja
