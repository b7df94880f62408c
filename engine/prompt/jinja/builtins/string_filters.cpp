// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/string_filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "engine/prompt/jinja/builtins/format.h"
#include "engine/prompt/jinja/builtins/string_search.h"
#include "engine/prompt/jinja/repr.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

constexpr auto kNone = std::string_view::npos;

// A run of white space, a word, or a part of a word.
struct Chunk {
  std::size_t begin;  // bytes
  std::size_t end;
  std::size_t n_chars;
  bool is_space;
};

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// The characters of a line, addressable one by one.
class Line {
 public:
  Line(Runtime& runtime, std::string_view s) : runtime_(runtime), s_(s) {
    runtime.work(s.size() * (sizeof(std::size_t) + sizeof(Chunk)));
    for (std::size_t pos = 0; pos < s.size(); pos = char_end(s, pos)) places_.push_back(pos);
    places_.push_back(s.size());
  }
  std::size_t n_chars() const { return places_.size() - 1; }
  std::size_t offset(std::size_t i) const { return places_[i]; }
  bool blank(std::size_t i) const { return i < n_chars() && is_blank(s_[places_[i]]); }
  bool hyphen(std::size_t i) const { return i < n_chars() && s_[places_[i]] == '-'; }
  bool letter(std::size_t i) const { return word(i) && !in_class(i, CharClass::decimal); }
  bool word(std::size_t i) const {
    return i < n_chars() && (s_[places_[i]] == '_' || in_class(i, CharClass::alnum));
  }
  bool word_or_punctuation(std::size_t i) const {
    return word(i) || (i < n_chars() && std::string_view("!\"'&.,?").find(s_[places_[i]]) < 7);
  }

 private:
  bool in_class(std::size_t i, CharClass char_class) const {
    return is_of_class(runtime_, s_.substr(places_[i], places_[i + 1] - places_[i]), char_class);
  }

  Runtime& runtime_;
  std::string_view s_;
  std::vector<std::size_t> places_;
};

std::size_t hyphens_end(const Line& line, std::size_t i) {
  while (line.hyphen(i)) ++i;
  return i;
}

// Whether a dash of two or more hyphens between words begins at i.
bool is_dash(const Line& line, std::size_t i) {
  // The end is looked for last, so that a run of hyphens is scanned only once. Otherwise this would
  // not be linear.
  if (i == 0 || !line.hyphen(i) || !line.word_or_punctuation(i - 1)) return false;
  const std::size_t end = hyphens_end(line, i);
  return end >= i + 2 && line.word(end);
}

// Whether a hyphen stands at i - 1 after which a word may be broken.
bool breaks_after_hyphen(const Line& line, std::size_t i) {
  if (i < 3 || !line.hyphen(i - 1)) return false;
  const bool after_letters = line.letter(i - 2) && line.letter(i - 3);
  const bool after_hyphen =
      i >= 4 && line.letter(i - 4) && line.hyphen(i - 3) && line.word_or_punctuation(i - 2);
  const std::size_t next = line.hyphen(i + 1) ? i + 2 : i + 1;
  return (after_letters || after_hyphen) && line.letter(i) && line.letter(next);
}

// The end of the word that begins at i.
std::size_t word_end(const Line& line, std::size_t i, bool hyphens) {
  const std::size_t begin = i;
  for (++i; i < line.n_chars() && !line.blank(i); ++i) {
    if (!hyphens) continue;
    if (is_dash(line, i)) return i;
    if (i - begin >= 2 && breaks_after_hyphen(line, i)) return i;
  }
  return i;
}

std::deque<Chunk> chunks_of(const Line& line, bool hyphens) {
  std::deque<Chunk> chunks;
  for (std::size_t i = 0; i < line.n_chars();) {
    std::size_t end = i;
    const bool space = line.blank(i);
    if (space) {
      while (line.blank(end)) ++end;
    } else if (hyphens && is_dash(line, i)) {
      end = hyphens_end(line, i);
    } else {
      end = word_end(line, i, hyphens);
    }
    chunks.push_back({line.offset(i), line.offset(end), end - i, space});
    i = end;
  }
  return chunks;
}

// Splits the first `n_chars` off a longer chunk.
Chunk split_off(std::string_view s, Chunk& chunk, std::size_t n_chars) {
  const std::size_t cut =
      chunk.begin + char_offset(s.substr(chunk.begin, chunk.end - chunk.begin), n_chars);
  const Chunk first{chunk.begin, cut, n_chars, chunk.is_space};
  chunk.begin = cut;
  chunk.n_chars -= n_chars;
  return first;
}

// The number of characters to cut off a chunk that is too long for a line: up to its last hyphen
// that fits, otherwise `space`.
std::size_t long_word_cut(std::string_view s, const Chunk& chunk, std::size_t space, bool hyphens) {
  const std::string_view word = s.substr(chunk.begin, chunk.end - chunk.begin);
  const std::string_view fits = word.substr(0, char_offset(word, space));
  const std::size_t hyphen = fits.rfind('-');
  const bool usable = hyphens && chunk.n_chars > space && hyphen != kNone && hyphen > 0 &&
                      fits.substr(0, hyphen).find_first_not_of('-') < hyphen;
  return usable ? count_chars(fits.substr(0, hyphen + 1)) : space;
}

// A filter without arguments that rewrites a text. Other values are converted to text first.
template <Text (*transform)(Runtime&, const Text&)>
Value transform_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "a filter", arguments, {});
  return runtime.text(transform(runtime, to_text(runtime, self)));
}

// Words end at white space, hyphens and opening brackets.
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
  // Jinja adds a line end, so that an empty last line counts, and then drops it with its line.
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
  if (!bound.flag_or(1, false) && space != kNone) out = out.slice(0, space);
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

// A word is a run of letters, digits and underscores.
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

Value escape(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "escape", arguments, {});
  const Text text = to_text(runtime, self);
  return text.is_markup() ? self : runtime.text(escape_html(text));
}

Value forceescape(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "forceescape", arguments, {});
  return runtime.text(escape_html(to_text(runtime, self)));
}

Value safe(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "safe", arguments, {});
  return runtime.text(to_text(runtime, self).as_markup());
}

// The text without the parts from `open` to `close`, both included.
Text without_spans(const Text& text, std::string_view open, std::string_view close) {
  const std::string_view s = text.view();
  Text kept;
  std::size_t pos = 0;
  while (true) {
    const std::size_t begin = find(s, open, pos);
    const std::size_t end = begin == kNone ? kNone : find(s, close, begin + open.size());
    if (end == kNone) break;
    kept.append(text, pos, begin);
    pos = end + close.size();
  }
  kept.append(text, pos, s.size());
  return kept;
}

// The character of an entity ("amp", "#39", "#x27"); empty if the entity is unknown.
std::string entity(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNamed = {
      {{"amp", "&"},
       {"lt", "<"},
       {"gt", ">"},
       {"quot", "\""},
       {"apos", "'"},
       {"nbsp", "\xC2\xA0"}}};
  for (const auto& [known, character] : kNamed) {
    if (name == known) return std::string(character);
  }
  if (!name.starts_with('#')) return "";
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  if (hex) name.remove_prefix(1);
  std::uint32_t code_point = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, code_point, hex ? 16 : 10);
  std::string character;
  if (parsed.ec == std::errc() && parsed.ptr == end) append_utf8(character, code_point);
  return character;
}

Text unescaped(Runtime& runtime, const Text& text) {
  constexpr std::size_t kLongest = 10;
  constexpr std::size_t kEntityBytes = 64;  // counted as work for an entity
  const std::string_view s = text.view();
  const std::optional<int> source = text.source();
  TextBuilder out(runtime);
  std::size_t done = 0;
  for (std::size_t at = find(s, "&"); at != kNone; at = find(s, "&", at + 1)) {
    const std::size_t end = s.substr(0, std::min(s.size(), at + kLongest)).find(';', at);
    if (end == kNone) continue;
    runtime.work(kEntityBytes);
    const std::string character = entity(s.substr(at + 1, end - at - 1));
    if (character.empty()) continue;
    out.append(text, done, at);
    out.append(Text(character, source));
    done = end + 1;
  }
  out.append(text, done, s.size());
  return std::move(out).take();
}

// Removes comments and tags, turns runs of white space into one space, and replaces the usual
// entities by their characters.
Value striptags(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "striptags", arguments, {});
  const Text text = to_text(runtime, self);
  const Text bare = without_spans(without_spans(text, "<!--", "-->"), "<", ">");
  TextBuilder words(runtime);
  for_each_word(bare.view(), kUnlimited, [&](std::size_t begin, std::size_t end) {
    if (!words.empty()) words.append(" ");
    words.append(bare, begin, end);
  });
  return runtime.text(unescaped(runtime, std::move(words).take()));
}

// Percent-encoding of RFC 3986: each byte that is not unreserved becomes %XX. In a query a space
// becomes '+'.
Text quoted(const Text& text, bool in_query) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text.view()) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool unreserved =
        letter || (c >= '0' && c <= '9') || std::string_view("_.-~").find(c) != kNone;
    if (unreserved || (c == '/' && !in_query)) {
      out += c;
    } else if (c == ' ' && in_query) {
      out += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHexDigits[byte / 16U], kHexDigits[byte % 16U]};
    }
  }
  return {std::move(out), text.source()};
}

Value urlencode(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "urlencode", arguments, {});
  if (self.is_text() || (self.list() == nullptr && self.dict() == nullptr)) {
    return runtime.text(quoted(to_text(runtime, self), false));
  }
  TextBuilder query(runtime);
  const auto add = [&](const Value& key, const Value& value) {
    if (!query.empty()) query.append("&");
    query.append(quoted(to_text(runtime, key), true));
    query.append("=");
    query.append(quoted(to_text(runtime, value), true));
  };
  if (const Dict* dict = self.dict()) {
    for (const auto& [key, value] : dict->items) add(key, value);
    return std::move(query).finish();
  }
  for (const Value& item : elements(runtime, self)) {
    const std::vector<Value> pair = elements(runtime, item);
    if (pair.size() != 2) runtime.fail("urlencode: expected pairs of name and value");
    add(pair[0], pair[1]);
  }
  return std::move(query).finish();
}

// A space in a name would begin another attribute.
void check_attribute_name(Runtime& runtime, std::string_view name) {
  for (std::size_t pos = 0; pos < name.size(); pos = char_end(name, pos)) {
    if (is_space(decode(name, pos)) || std::string_view("/>=").find(name[pos]) != kNone) {
      runtime.fail(fmt::format("xmlattr: '{:.40}' is not an attribute name", name));
    }
  }
}

Value xmlattr(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "xmlattr", arguments, {"autospace"});
  const Dict* dict = self.dict();
  if (dict == nullptr) {
    runtime.fail(fmt::format("xmlattr: found {}, expected a mapping", self.type_name()));
  }
  TextBuilder out(runtime);
  const auto escaped = [&](const Value& value) { return to_markup(to_text(runtime, value)); };
  for (const auto& [key, value] : dict->items) {
    if (value.is_none() || value.is_undefined()) continue;
    check_attribute_name(runtime, to_text(runtime, key).view());
    if (!out.empty() || bound.flag_or(0, true)) out.append(" ");
    out.append(escaped(key));
    out.append("=\"");
    out.append(escaped(value));
    out.append("\"");
  }
  return std::move(out).finish();
}

constexpr std::array<NamedFunction, 20> kFilters = {{
    {"capitalize", transform_filter<capitalize>},
    {"center", center_filter},
    {"e", escape},
    {"escape", escape},
    {"forceescape", forceescape},
    {"format", format_filter},
    {"indent", indent},
    {"lower", transform_filter<lower>},
    {"replace", replace_filter},
    {"safe", safe},
    {"string", string},
    {"striptags", striptags},
    {"title", transform_filter<title>},
    {"trim", trim},
    {"truncate", truncate},
    {"upper", transform_filter<upper>},
    {"urlencode", urlencode},
    {"wordcount", wordcount},
    {"wordwrap", wordwrap},
    {"xmlattr", xmlattr},
}};

}  // namespace

// The rules follow the documentation and behaviour of Python's textwrap.TextWrapper with
// expand_tabs and replace_whitespace off. It breaks only at ASCII white space.
std::vector<Text> wrap_line(Runtime& runtime, const Text& text, const WrapStyle& style) {
  std::deque<Chunk> chunks = chunks_of(Line(runtime, text.view()), style.break_on_hyphens);
  std::vector<Text> lines;
  while (!chunks.empty()) {
    if (chunks.front().is_space && !lines.empty()) chunks.pop_front();
    std::vector<Chunk> line;
    std::size_t used = 0;
    while (!chunks.empty() && used + chunks.front().n_chars <= style.width) {
      used += chunks.front().n_chars;
      line.push_back(chunks.front());
      chunks.pop_front();
    }
    if (!chunks.empty() && chunks.front().n_chars > style.width) {
      const std::size_t space = std::max<std::size_t>(style.width - used, 1);
      if (style.break_long_words && style.width > used) {
        const std::size_t n =
            long_word_cut(text.view(), chunks.front(), space, style.break_on_hyphens);
        line.push_back(split_off(text.view(), chunks.front(), n));
      } else if (line.empty()) {
        line.push_back(chunks.front());
        chunks.pop_front();
      }
    }
    if (!line.empty() && line.back().is_space) line.pop_back();
    runtime.work(sizeof(Text));
    if (!line.empty()) lines.push_back(text.slice(line.front().begin, line.back().end));
  }
  return lines;
}

std::span<const NamedFunction> string_filters() noexcept {
  return kFilters;
}

}  // namespace confab::engine::jinja
