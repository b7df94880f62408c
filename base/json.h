// SPDX-License-Identifier: MIT
// JSON: the only way to read and write it here. nlohmann's parser is hidden in json.cpp.
//
// Input may be hostile, so reading has limits: kMostJsonDepth and kMostJsonValues. Destroying and
// writing a value never recurse, however deep the value is.
//
// To read, call Json::parse(text), which throws a JsonError of one line with the position, or
// try_parse(). find(key) returns nullptr if the member is absent or null, or the value is not an
// object. members() and elements() are empty for values of another kind. as_int(), as_double() and
// as_bool() return nullopt if the value is of another kind or does not fit.
//
// To write: Json out{{"name", name}, {"usage", {{"tokens", 3}}}}; pairs in braces make an object.
// Arrays are named, as in out["ids"] = Json::array({1, "two"}); braces never make one.
//
// Objects keep the order of their members. If a name occurs twice, the last value counts.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace confab::base {

// Documents written by people nest at most a few dozen levels. Code that walks a value recursively
// must get by with 512 KiB of stack at this depth.
inline constexpr std::size_t kMostJsonDepth = 100;
// The largest published tokenizer.json has 1.9 million values. A value takes 40 bytes (a member
// 72), and its list up to as much again while it grows. So 20 MB of "[],[]," is rejected at 190 MB
// of memory, and the worst text at 320 MB.
inline constexpr std::size_t kMostJsonValues = 4'000'000;

struct JsonRules {
  // Accepts some things that other programs send but JSON does not allow. NaN, Infinity and
  // -Infinity become null. Lone surrogates ("\ud83d" alone) and invalid UTF-8 become U+FFFD. Tabs
  // and line breaks are allowed in strings.
  bool lenient = false;
  // With lenient: keeps a lone surrogate in a form that HalfJoiner understands, because the other
  // half may follow in the next piece of the same text.
  bool keep_halves = false;
  std::size_t most_values = kMostJsonValues;
};

// The text is not JSON or exceeds a limit. what() is, for example, "line 3, column 7: unexpected
// ']'; expected ','". The line is omitted if the text has only one.
class JsonError : public std::runtime_error {
 public:
  JsonError(const std::string& what, std::size_t offset, bool is_limit = false)
      : std::runtime_error(what), offset_(offset), is_limit_(is_limit) {}
  std::size_t offset() const noexcept { return offset_; }  // the text's size if it ends too early
  bool is_limit() const noexcept { return is_limit_; }     // the text is JSON up to there

 private:
  std::size_t offset_;
  bool is_limit_;
};

class Json;
struct JsonMember;
struct JsonPair;  // a member written in braces

class Json {
 public:
  Json() noexcept;  // null
  Json(std::nullptr_t) noexcept;
  template <std::same_as<bool> T>
  Json(T value) noexcept;
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value)
  noexcept;
  Json(double value) noexcept;
  Json(float value);  // the double with the same shortest decimal form: 0.2F is 0.2
  Json(std::string text) noexcept;
  Json(std::string_view text);
  Json(const char* text);
  template <class T>
  Json(const std::vector<T>& elements);
  Json(std::initializer_list<JsonPair> members);

  static Json array(std::vector<Json> elements = {});
  static Json object();

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  static Json parse(std::string_view text, const JsonRules& rules = {});
  static std::optional<Json> try_parse(std::string_view text, const JsonRules& rules = {});
  // Writes the value on one line, or indented by this many spaces per level. Invalid UTF-8 becomes
  // U+FFFD, and numbers that are not finite become null.
  std::string dump(int indent = -1) const;
  // The beginning of dump(), for messages: at most this many bytes, followed by "..." if cut.
  std::string excerpt(std::size_t most_bytes = 60) const;

  bool is_null() const noexcept { return holds<std::monostate>(); }
  bool is_boolean() const noexcept { return holds<bool>(); }
  bool is_integer() const noexcept { return holds<std::int64_t>() || holds<std::uint64_t>(); }
  bool is_number() const noexcept { return is_integer() || holds<double>(); }
  bool is_string() const noexcept { return holds<std::string>(); }
  bool is_array() const noexcept { return holds<std::vector<Json>>(); }
  bool is_object() const noexcept { return holds<std::vector<JsonMember>>(); }
  const char* type_name() const noexcept;  // "null", "boolean", "number", "string", ...

  std::optional<bool> as_bool() const noexcept;
  std::optional<std::int64_t> as_int() const noexcept;  // 5.0 is not an integer
  std::optional<std::uint64_t> as_uint() const noexcept;
  std::optional<double> as_double() const noexcept;  // any number
  const std::string* as_text() const noexcept;       // nullptr: not a string

  std::size_t size() const noexcept;  // of an array or object; otherwise 0
  bool empty() const noexcept { return size() == 0; }
  // Both are empty if the value is of another kind.
  std::span<const Json> elements() const noexcept;
  std::span<const JsonMember> members() const noexcept;
  const Json* find(std::string_view key) const noexcept;  // nullptr if absent or null
  bool contains(std::string_view key) const noexcept;     // true also for null
  std::string text_at(std::string_view key) const;        // empty: not a string

  // Building. null becomes an array or object as needed; any other kind must already match.
  Json& operator[](std::string_view key);
  Json& push_back(Json element);  // returns the new element, borrowed until the next call
  Json& back();
  void erase(std::string_view key);

  friend bool operator==(const Json& a, const Json& b);  // ignores the order of members

 private:
  friend class JsonBuilder;
  template <class T>
  bool holds() const noexcept {
    return std::holds_alternative<T>(value_);
  }
  const Json* member(std::string_view key) const noexcept;
  void write(std::string& out, int indent, std::size_t most_bytes) const;
  void write_leaf(std::string& out, std::size_t most_bytes) const;
  void take_containers(std::vector<Json>& into) noexcept;

  // Unsigned holds only numbers that do not fit the signed type.
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
               std::vector<Json>, std::vector<JsonMember>>
      value_;
};

struct JsonMember {
  std::string key;
  Json value;
};

// Defined after JsonMember because each of these must be able to destroy one.
inline Json::Json() noexcept = default;
inline Json::Json(std::nullptr_t) noexcept {}
template <std::same_as<bool> T>
Json::Json(T value) noexcept : value_(value) {}
template <std::integral T>
requires(!std::same_as<T, bool>) Json::Json(T value)
noexcept {
  if (std::in_range<std::int64_t>(value))
    value_ = static_cast<std::int64_t>(value);
  else
    value_ = static_cast<std::uint64_t>(value);
}
inline Json::Json(double value) noexcept : value_(value) {}
inline Json::Json(std::string text) noexcept : value_(std::move(text)) {}
inline Json::Json(std::string_view text) : value_(std::string(text)) {}
inline Json::Json(const char* text) : value_(std::string(text)) {}
template <class T>
Json::Json(const std::vector<T>& elements) : value_(std::vector<Json>()) {
  for (const auto& element : elements) push_back(Json(element));
}

struct JsonPair {
  JsonPair(std::string_view name, Json what) : key(name), value(std::move(what)) {}
  std::string key;
  mutable Json value;  // an initializer_list is const, but its values are moved from
};

// Reads a text value by value, for callers that do not build a Json. Handlers may throw. Duplicate
// members are all reported.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  // Called for null, booleans, numbers and strings. `number` is the original text of a number with
  // a fraction or exponent; otherwise it is empty.
  virtual void leaf(Json value, std::string_view number) = 0;
  virtual void key(std::string name) = 0;
  virtual void open(bool is_object) = 0;
  virtual void close() = 0;
};
void read_json(std::string_view text, JsonEvents& into, const JsonRules& rules = {});

}  // namespace confab::base
