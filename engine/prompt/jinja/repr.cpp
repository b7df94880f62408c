// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/repr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

constexpr std::size_t kEscapeBytes = 64;  // counted as work for an escape

class ReprWriter {
 public:
  explicit ReprWriter(Runtime& runtime) : runtime_(runtime) {}
  void write(const Value& value);
  Text finish() && {
    runtime_.work(out_.size());
    return {std::move(out_), source_};
  }

 private:
  void write_list(const List& list);
  void write_dict(const Dict& dict);
  void write_string(const Text& text);

  Runtime& runtime_;
  std::string out_;
  std::optional<int> source_;
};

void ReprWriter::write(const Value& value) {
  runtime_.step();
  if (out_.size() > kMaxTextBytes) runtime_.fail("a printed value is too long");
  if (value.is_undefined()) {
    out_ += "Undefined";
  } else if (value.is_none()) {
    out_ += "None";
  } else if (value.is_bool()) {
    out_ += value.truth() ? "True" : "False";
  } else if (const auto integer = value.integer()) {
    out_ += fmt::format("{}", *integer);
  } else if (value.is_float()) {
    out_ += float_repr(value.number());
  } else if (value.is_text()) {
    write_string(value.text());
  } else if (const List* list = value.list()) {
    write_list(*list);
  } else if (const Dict* dict = value.dict()) {
    write_dict(*dict);
  } else {
    const Callable* function = value.callable();
    out_ += fmt::format("<{} {}>", value.type_name(), function == nullptr ? "" : function->name);
  }
}

void ReprWriter::write_list(const List& list) {
  if (list.kind == ListKind::range && !list.shown_as.empty()) {
    out_ += list.shown_as;
    return;
  }
  const bool view = list.kind == ListKind::view;
  if (view) out_ += list.shown_as + "(";
  const bool tuple = list.kind == ListKind::tuple;
  out_ += tuple ? '(' : '[';
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) out_ += ", ";
    write(list.items[i]);
  }
  if (tuple && list.items.size() == 1) out_ += ',';
  out_ += tuple ? ')' : ']';
  if (view) out_ += ')';
}

void ReprWriter::write_dict(const Dict& dict) {
  out_ += '{';
  for (std::size_t i = 0; i < dict.items.size(); ++i) {
    if (i > 0) out_ += ", ";
    write(dict.items[i].first);
    out_ += ": ";
    write(dict.items[i].second);
  }
  out_ += '}';
}

std::string escaped(std::string_view character, char32_t c) {
  if (c == kNotUtf8) return fmt::format("\\udc{:02x}", static_cast<unsigned char>(character[0]));
  if (c < 0x100) return fmt::format("\\x{:02x}", static_cast<unsigned>(c));
  if (c < 0x10000) return fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  return fmt::format("\\U{:08x}", static_cast<unsigned>(c));
}

void ReprWriter::write_string(const Text& text) {
  const std::string_view s = text.view();
  runtime_.work(text.cost());
  source_ = merge_source(source_, text.source());
  const bool has_single = s.find('\'') != std::string_view::npos;
  const char quote = has_single && s.find('"') == std::string_view::npos ? '"' : '\'';
  out_ += quote;
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    const std::string_view character = s.substr(pos, end - pos);
    const char32_t c = decode(s, pos);
    pos = end;
    if (c == '\n') {
      out_ += "\\n";
    } else if (c == '\r') {
      out_ += "\\r";
    } else if (c == '\t') {
      out_ += "\\t";
    } else if (c == '\\' || c == static_cast<unsigned char>(quote)) {
      out_ += '\\';
      out_ += character;
    } else if (c >= 0x20 && c < 0x7F) {
      out_ += character;
    } else if (c < 0x80 || !is_of_class(runtime_, character, CharClass::printable)) {
      runtime_.work(kEscapeBytes);
      out_ += escaped(character, c);
    } else {
      out_ += character;
    }
  }
  out_ += quote;
}

class JsonWriter {
 public:
  JsonWriter(Runtime& runtime, const JsonStyle& style) : runtime_(runtime), style_(style) {}
  void write(const Value& value);
  Text finish() && { return {std::move(out_), source_}; }

 private:
  void write_list(const List& list);
  void write_dict(const Dict& dict);
  void write_key(const Value& key);
  void write_string(const Text& text);
  void write_escape(char32_t c);
  void break_line();

  Runtime& runtime_;
  const JsonStyle& style_;
  std::string out_;
  std::optional<int> source_;
  int level_ = 0;
};

// The JSON of a number, a boolean or null; empty for other kinds.
std::string scalar(const Value& value) {
  if (value.is_none()) return "null";
  if (value.is_bool()) return value.truth() ? "true" : "false";
  if (const auto integer = value.integer()) return fmt::format("{}", *integer);
  if (!value.is_float()) return "";
  const std::string digits = float_repr(value.number());
  if (digits == "nan") return "NaN";
  if (digits == "inf") return "Infinity";
  return digits == "-inf" ? "-Infinity" : digits;
}

void JsonWriter::write(const Value& value) {
  runtime_.step();
  if (out_.size() > kMaxTextBytes) runtime_.fail("tojson: the result is too long");
  const List* list = value.list();
  if (value.is_text()) {
    write_string(value.text());
  } else if (list != nullptr && (list->kind == ListKind::list || list->kind == ListKind::tuple)) {
    write_list(*list);
  } else if (value.dict() != nullptr) {
    write_dict(*value.dict());
  } else if (const std::string text = scalar(value); !text.empty()) {
    out_ += text;
  } else {
    runtime_.fail(fmt::format("Object of type {} is not JSON serializable", value.type_name()));
  }
}

void JsonWriter::break_line() {
  if (!style_.indent) return;
  out_ += '\n';
  for (int i = 0; i < level_; ++i) out_ += *style_.indent;
}

void JsonWriter::write_list(const List& list) {
  out_ += '[';
  ++level_;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) out_ += style_.item_separator;
    break_line();
    write(list.items[i]);
  }
  --level_;
  if (!list.items.empty()) break_line();
  out_ += ']';
}

void JsonWriter::write_dict(const Dict& dict) {
  std::vector<const std::pair<Value, Value>*> items;
  for (const auto& item : dict.items) items.push_back(&item);
  if (style_.sort_keys) {
    std::stable_sort(items.begin(), items.end(), [this](const auto* a, const auto* b) {
      return less(runtime_, a->first, b->first);
    });
  }
  out_ += '{';
  ++level_;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out_ += style_.item_separator;
    break_line();
    write_key(items[i]->first);
    out_ += style_.key_separator;
    write(items[i]->second);
  }
  --level_;
  if (!items.empty()) break_line();
  out_ += '}';
}

void JsonWriter::write_key(const Value& key) {
  if (key.is_text()) return write_string(key.text());
  const std::string text = scalar(key);
  if (text.empty()) {
    runtime_.fail(
        fmt::format("keys must be str, int, float, bool or None, not {}", key.type_name()));
  }
  out_ += '"' + text + '"';
}

void JsonWriter::write_string(const Text& text) {
  const std::string_view s = text.view();
  runtime_.work(s.size() * 4);
  source_ = merge_source(source_, text.source());
  out_ += '"';
  for (std::size_t pos = 0; pos < s.size();) {
    const std::size_t end = char_end(s, pos);
    const char32_t c = decode(s, pos);
    if (c < 0x20 || c == '"' || c == '\\' || (c >= 0x80 && style_.ensure_ascii)) {
      write_escape(c == kNotUtf8 ? 0xDC00 + static_cast<unsigned char>(s[pos]) : c);
    } else {
      out_ += s.substr(pos, end - pos);
    }
    pos = end;
  }
  out_ += '"';
}

void JsonWriter::write_escape(char32_t c) {
  runtime_.work(kEscapeBytes);
  constexpr std::string_view kNamed = "\"\\\n\r\t\f\b";
  constexpr std::string_view kLetters = "\"\\nrtfb";
  const std::size_t named = c < 0x80 ? kNamed.find(static_cast<char>(c)) : std::string_view::npos;
  if (named != std::string_view::npos) {
    out_ += '\\';
    out_ += kLetters[named];
  } else if (c < 0x10000) {
    out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  } else {
    const auto offset = static_cast<unsigned>(c - 0x10000);
    out_ +=
        fmt::format("\\u{:04x}\\u{:04x}", 0xD800U + (offset >> 10U), 0xDC00U + (offset & 0x3FFU));
  }
}

}  // namespace

Text repr(Runtime& runtime, const Value& value) {
  ReprWriter writer(runtime);
  writer.write(value);
  return std::move(writer).finish();
}

Text to_text(Runtime& runtime, const Value& value) {
  if (value.is_text()) {
    runtime.work(value.text().cost());
    return value.text();
  }
  if (value.is_undefined()) return {};
  return repr(runtime, value);
}

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific);
  const std::string_view scientific(buffer.data(),
                                    static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t e = scientific.find('e');
  const int exponent = std::atoi(std::string(scientific.substr(e + 1)).c_str());
  std::string digits;
  for (const char c : scientific.substr(0, e)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  std::string out = std::signbit(value) ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    out += digits.substr(0, 1);
    if (digits.size() > 1) out += "." + digits.substr(1);
    return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0)
    return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.append(whole + 1 - digits.size(), '0');
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

Text to_json(Runtime& runtime, const Value& value, const JsonStyle& style) {
  JsonWriter writer(runtime, style);
  writer.write(value);
  return std::move(writer).finish();
}

}  // namespace confab::engine::jinja
