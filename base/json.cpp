// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/json_repair.h"

namespace confab::base {
namespace {

using Parser = nlohmann::json;

std::string place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line = before.rfind('\n') + 1;  // 0 on the first line
  const auto column = std::ranges::count_if(
      before.substr(line), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  const std::string at = "column " + std::to_string(column + 1);
  if (text.find('\n') >= text.find_last_not_of(" \t\r\n")) return at;
  return "line " + std::to_string(std::ranges::count(before, '\n') + 1) + ", " + at;
}

// Shortens the parser's "[json.exception.parse_error.101] parse error at line 1, column 2: syntax
// error while parsing value - invalid literal; last read: 'x'; expected ']'". Drops the part up to
// " - ", and the text that was read: it may be private and of any length.
std::string reason_in(std::string_view what) {
  constexpr std::string_view kBegin = " - ", kRead = "; last read: '", kExpected = "'; expected ";
  constexpr std::size_t kMostExpected = 40;
  const std::size_t begin = what.find(kBegin);
  if (begin == what.npos) return "a number is too large";
  what.remove_prefix(begin + kBegin.size());
  const std::size_t read = what.find(kRead);
  std::string reason(what.substr(0, read));
  if (read == what.npos) return reason;
  const std::size_t expected = what.rfind(kExpected);
  if (expected != what.npos && expected >= read && what.size() - expected <= kMostExpected)
    reason += what.substr(expected + 1);
  return reason;
}

// The offset of the bracket that opens level n (from 1).
std::size_t offset_of_level(std::string_view text, std::size_t n) noexcept {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\')
      ++i;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && (c == '[' || c == '{') && ++depth == n)
      return i;
    else if (!in_string && (c == ']' || c == '}'))
      --depth;
  }
  return text.size();
}

class Adapter final : public nlohmann::json_sax<Parser> {
 public:
  Adapter(std::string_view text, JsonEvents& into, const JsonRules& rules) noexcept
      : text_(text), into_(into), rules_(rules) {}

  bool null() override { return leaf({}); }
  bool boolean(bool value) override { return leaf(value); }
  bool number_integer(number_integer_t value) override { return leaf(value); }
  bool number_unsigned(number_unsigned_t value) override { return leaf(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    return leaf(value, text);
  }
  bool string(string_t& value) override { return leaf(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool key(string_t& name) override {
    into_.key(std::move(name));
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return open(true); }
  bool start_array(std::size_t /*size*/) override { return open(false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t end, const std::string& /*token*/,
                   const Parser::exception& fault) override {
    fail(std::min(std::max<std::size_t>(end, 1) - 1, text_.size()), reason_in(fault.what()));
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& reason,
                         bool is_limit = false) const {
    throw JsonError(place_of(text_, offset) + ": " + reason, offset, is_limit);
  }
  void count() {
    if (++n_values_ > rules_.most_values)
      throw JsonError("has more than " + std::to_string(rules_.most_values) + " values", 0, true);
  }
  bool leaf(Json value, std::string_view number = {}) {
    count();
    into_.leaf(std::move(value), number);
    return true;
  }
  bool open(bool is_object) {
    count();
    if (++depth_ > kMostJsonDepth)
      fail(offset_of_level(text_, depth_),
           "nests deeper than " + std::to_string(kMostJsonDepth) + " levels", true);
    into_.open(is_object);
    return true;
  }
  bool close() {
    --depth_;
    into_.close();
    return true;
  }

  std::string_view text_;
  JsonEvents& into_;
  const JsonRules& rules_;
  std::size_t depth_ = 0;
  std::size_t n_values_ = 0;
};

// Returns true if the text can stand between quotation marks without escapes.
bool is_plain(std::string_view text) noexcept {
  return std::ranges::all_of(text,
                             [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

void write_text(std::string& out, std::string_view text) {
  if (is_plain(text))
    out.append(1, '"').append(text).append(1, '"');
  else
    out += Parser(text).dump(-1, ' ', false, Parser::error_handler_t::replace);
}

void begin_line(std::string& out, int indent, std::size_t depth) {
  if (indent < 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent) * depth, ' ');
}

}  // namespace

void read_json(std::string_view text, JsonEvents& into, const JsonRules& rules) {
  if (rules.lenient) {
    const std::string repaired = repaired_json(text, rules.keep_halves);
    Adapter adapter(repaired, into, rules);
    Parser::sax_parse(repaired, &adapter);
    return;
  }
  Adapter adapter(text, into, rules);
  Parser::sax_parse(text, &adapter);
}

// Builds a value. Pointers to open containers stay valid, because only the last element of each
// grows.
class JsonBuilder final : public JsonEvents {
 public:
  explicit JsonBuilder(Json& root) noexcept : root_(root) {}

  void leaf(Json value, std::string_view /*number*/) override { place(std::move(value)); }
  void key(std::string name) override { key_ = std::move(name); }
  void open(bool is_object) override {
    open_.push_back(&place(is_object ? Json::object() : Json::array()));
  }
  void close() override {
    if (auto* members = std::get_if<std::vector<JsonMember>>(&open_.back()->value_))
      keep_last_of_a_name(*members);
    open_.pop_back();
  }

 private:
  Json& place(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    if (auto* elements = std::get_if<std::vector<Json>>(&open_.back()->value_))
      return elements->emplace_back(std::move(value));
    auto& members = std::get<std::vector<JsonMember>>(open_.back()->value_);
    return members.emplace_back(JsonMember{std::move(key_), std::move(value)}).value;
  }

  // The last value takes the place of the first.
  static void keep_last_of_a_name(std::vector<JsonMember>& members) {
    if (members.size() < 2) return;
    std::vector<std::uint32_t> order(members.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&members](std::uint32_t a, std::uint32_t b) {
      const int difference = members[a].key.compare(members[b].key);
      return difference != 0 ? difference < 0 : a < b;
    });
    std::vector<bool> is_gone;
    std::size_t first = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (members[order[i]].key != members[order[first]].key) {
        first = i;
        continue;
      }
      is_gone.resize(members.size());
      members[order[first]].value = std::move(members[order[i]].value);
      is_gone[order[i]] = true;
    }
    if (is_gone.empty()) return;
    std::size_t n = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (is_gone[i]) continue;
      if (n != i) members[n] = std::move(members[i]);
      ++n;
    }
    members.resize(n);
  }

  Json& root_;
  std::vector<Json*> open_;
  std::string key_;
};

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;

Json::Json(float value) {
  char digits[32];
  const auto [end, fault] = std::to_chars(digits, digits + sizeof digits, value);
  const bool is_written = fault == std::errc{} && std::isfinite(value);
  value_ = is_written ? Parser::parse(digits, end).get<double>() : static_cast<double>(value);
}

Json::Json(std::initializer_list<JsonPair> members) : value_(std::vector<JsonMember>()) {
  auto& all = std::get<std::vector<JsonMember>>(value_);
  all.reserve(members.size());
  for (const JsonPair& pair : members) all.push_back({pair.key, std::move(pair.value)});
}

Json Json::array(std::vector<Json> elements) {
  Json json;
  json.value_ = std::move(elements);
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = std::vector<JsonMember>();
  return json;
}

// Avoids recursion by moving nested values out before their parent is destroyed.
Json::~Json() {
  if (empty()) return;
  std::vector<Json> below;
  take_containers(below);
  while (!below.empty()) {
    Json one = std::move(below.back());
    below.pop_back();
    one.take_containers(below);
  }
}

void Json::take_containers(std::vector<Json>& into) noexcept {
  if (auto* elements = std::get_if<std::vector<Json>>(&value_)) {
    for (Json& element : *elements)
      if (!element.empty()) into.push_back(std::move(element));
  } else if (auto* members = std::get_if<std::vector<JsonMember>>(&value_)) {
    for (JsonMember& member : *members)
      if (!member.value.empty()) into.push_back(std::move(member.value));
  }
}

Json Json::parse(std::string_view text, const JsonRules& rules) {
  Json root;
  JsonBuilder builder(root);
  read_json(text, builder, rules);
  return root;
}

std::optional<Json> Json::try_parse(std::string_view text, const JsonRules& rules) {
  try {
    return parse(text, rules);
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

void Json::write_leaf(std::string& out, std::size_t most_bytes) const {
  if (const auto* text = std::get_if<std::string>(&value_)) {
    write_text(out, std::string_view(*text).substr(0, most_bytes));
  } else if (const auto* number = std::get_if<double>(&value_)) {
    out += Parser(*number).dump();
  } else if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    out += std::to_string(*whole);
  } else if (const auto* large = std::get_if<std::uint64_t>(&value_)) {
    out += std::to_string(*large);
  } else if (const auto* truth = std::get_if<bool>(&value_)) {
    out += *truth ? "true" : "false";
  } else {
    out += is_array() ? "[]" : is_object() ? "{}" : "null";
  }
}

void Json::write(std::string& out, int indent, std::size_t most_bytes) const {
  struct Open {
    const Json* container;
    std::size_t next;  // index into its elements
  };
  std::vector<Open> open;
  for (const Json* value = this;;) {
    if (value->empty()) {
      value->write_leaf(out, most_bytes);
    } else {
      out += value->is_array() ? '[' : '{';
      open.push_back({value, 0});
    }
    while (!open.empty() && open.back().next == open.back().container->size()) {
      const char end = open.back().container->is_array() ? ']' : '}';
      open.pop_back();
      begin_line(out, indent, open.size());
      out += end;
    }
    if (open.empty() || out.size() > most_bytes) return;
    Open& last = open.back();
    if (last.next > 0) out += ',';
    begin_line(out, indent, open.size());
    if (last.container->is_array()) {
      value = &last.container->elements()[last.next++];
    } else {
      const JsonMember& member = last.container->members()[last.next++];
      write_text(out, std::string_view(member.key).substr(0, most_bytes));
      out += indent < 0 ? ":" : ": ";
      value = &member.value;
    }
  }
}

std::string Json::dump(int indent) const {
  std::string out;
  write(out, indent, std::string::npos);
  return out;
}

std::string Json::excerpt(std::size_t most_bytes) const {
  std::string out;
  write(out, -1, most_bytes);
  if (out.size() <= most_bytes) return out;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
  return out.substr(0, end) + "...";
}

const char* Json::type_name() const noexcept {
  if (is_null()) return "null";
  if (is_boolean()) return "boolean";
  if (is_number()) return "number";
  if (is_string()) return "string";
  return is_array() ? "array" : "object";
}

std::optional<bool> Json::as_bool() const noexcept {
  const auto* value = std::get_if<bool>(&value_);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::int64_t> Json::as_int() const noexcept {
  const auto* value = std::get_if<std::int64_t>(&value_);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::uint64_t> Json::as_uint() const noexcept {
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return *large;
  const auto value = as_int();
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<double> Json::as_double() const noexcept {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*large);
  const auto whole = as_int();
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

const std::string* Json::as_text() const noexcept {
  return std::get_if<std::string>(&value_);
}

std::size_t Json::size() const noexcept {
  return elements().size() + members().size();
}

std::span<const Json> Json::elements() const noexcept {
  const auto* elements = std::get_if<std::vector<Json>>(&value_);
  return elements != nullptr ? std::span(*elements) : std::span<const Json>();
}

std::span<const JsonMember> Json::members() const noexcept {
  const auto* members = std::get_if<std::vector<JsonMember>>(&value_);
  return members != nullptr ? std::span(*members) : std::span<const JsonMember>();
}

const Json* Json::member(std::string_view key) const noexcept {
  for (const JsonMember& one : members())
    if (one.key == key) return &one.value;
  return nullptr;
}

const Json* Json::find(std::string_view key) const noexcept {
  const Json* found = member(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool Json::contains(std::string_view key) const noexcept {
  return member(key) != nullptr;
}

std::string Json::text_at(std::string_view key) const {
  const Json* found = member(key);
  const std::string* text = found != nullptr ? found->as_text() : nullptr;
  return text != nullptr ? *text : std::string();
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = std::vector<JsonMember>();
  auto& members = std::get<std::vector<JsonMember>>(value_);
  for (JsonMember& one : members)
    if (one.key == key) return one.value;
  return members.emplace_back(JsonMember{std::string(key), Json()}).value;
}

Json& Json::push_back(Json element) {
  if (is_null()) value_ = std::vector<Json>();
  return std::get<std::vector<Json>>(value_).emplace_back(std::move(element));
}

Json& Json::back() {
  return std::get<std::vector<Json>>(value_).back();
}

void Json::erase(std::string_view key) {
  if (auto* members = std::get_if<std::vector<JsonMember>>(&value_))
    std::erase_if(*members, [key](const JsonMember& one) { return one.key == key; });
}

bool operator==(const Json& a, const Json& b) {
  if (a.is_object() && b.is_object()) {
    return a.size() == b.size() && std::ranges::all_of(a.members(), [&b](const JsonMember& one) {
             const Json* other = b.member(one.key);
             return other != nullptr && *other == one.value;
           });
  }
  if (a.is_object() || b.is_object()) return false;
  if (a.is_array() && b.is_array()) return std::ranges::equal(a.elements(), b.elements());
  if (a.is_integer() != b.is_integer() && a.is_number() && b.is_number())
    return a.as_double() == b.as_double();
  if (a.value_.index() != b.value_.index()) return false;
  return a.as_bool() == b.as_bool() && a.as_int() == b.as_int() && a.as_uint() == b.as_uint() &&
         a.as_double() == b.as_double() && (!a.is_string() || *a.as_text() == *b.as_text());
}

}  // namespace confab::base
