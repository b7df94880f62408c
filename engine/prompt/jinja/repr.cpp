// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/repr.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

constexpr std::size_t kEscapeBytes = 64;  // of work

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

}  // namespace confab::engine::jinja
