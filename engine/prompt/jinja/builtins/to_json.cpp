// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/to_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/prompt/jinja/repr.h"
#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

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

// A number, truth value or null; empty for the other kinds.
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
  constexpr std::size_t kEscapeBytes = 64;  // of work
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

Text to_json(Runtime& runtime, const Value& value, const JsonStyle& style) {
  JsonWriter writer(runtime, style);
  writer.write(value);
  return std::move(writer).finish();
}

}  // namespace confab::engine::jinja
