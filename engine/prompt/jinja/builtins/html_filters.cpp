// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/html_filters.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "engine/prompt/jinja/builtins/string_search.h"
#include "engine/prompt/jinja/repr.h"
#include "engine/prompt/jinja/text_builder.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

constexpr auto kNone = std::string_view::npos;

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

// The text without what stands between `open` and `close`, where both are found.
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

// The character of an entity ("amp", "#39", "#x27"); empty for an unknown one.
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
  constexpr std::size_t kEntityBytes = 64;  // of work
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

// Comments and tags go, runs of white space become one space, the usual entities characters.
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

// RFC 3986: what is not unreserved becomes %XX of its UTF-8. In a query a space is '+'.
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

constexpr std::array<NamedFunction, 7> kFilters = {{
    {"e", escape},
    {"escape", escape},
    {"forceescape", forceescape},
    {"safe", safe},
    {"striptags", striptags},
    {"urlencode", urlencode},
    {"xmlattr", xmlattr},
}};

}  // namespace

std::span<const NamedFunction> html_filters() noexcept {
  return kFilters;
}

}  // namespace confab::engine::jinja
