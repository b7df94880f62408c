// SPDX-License-Identifier: MIT
// JSON: the one way to read and to write it. nlohmann's parser is behind json.cpp and nowhere else.
//
// What comes in may be hostile, so reading has limits: kMostJsonDepth, kMostJsonValues. Neither
// destroying nor writing a value recurses, however deep somebody has built it.
//
// To read: Json::parse(text), which throws a JsonError of one line with the place, or try_parse().
// find(key) is nullptr where there is nothing, null, or no object; members() and elements() are
// empty where there are none; as_int(), as_double(), as_bool() are nullopt where the value is of
// another kind or does not fit.
//
// To write: Json out{{"name", name}, {"usage", {{"tokens", 3}}}}; pairs in braces are an object.
// Arrays are named, as in out["ids"] = Json::array({1, "two"}); braces never make one.
//
// Objects keep the order in which members came. Of members with one name the last one counts.
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

// Nothing that people write nests deeper than a few dozen, and whoever walks a value recursively
// must do so within 512 KiB of stack.
inline constexpr std::size_t kMostJsonDepth = 100;
// The largest tokenizer.json of the published models has 1.9 million values. A value takes 40 bytes
// (a member 72), and its list at most as much again while it grows: 20 MB of "[],[]," end here
// after 190 MB, and the worst text after 320 MB.
inline constexpr std::size_t kMostJsonValues = 4'000'000;

struct JsonRules {
  // What other programs send though it is not JSON: NaN, Infinity and -Infinity are null, halves of
  // surrogate pairs ("\ud83d" alone) and bytes that are not UTF-8 are U+FFFD, and tabs and line
  // breaks may stand in strings.
  bool lenient = false;
  // With lenient: a half of a pair stays what HalfJoiner understands, as the other one may follow
  // in the next piece of the same text.
  bool keep_halves = false;
  std::size_t most_values = kMostJsonValues;
};

// The text is not JSON, or beyond a limit. what(): "line 3, column 7: unexpected ']'; expected
// ','", without the line where the text has only one.
class JsonError : public std::runtime_error {
 public:
  JsonError(const std::string& what, std::size_t offset, bool is_limit = false)
      : std::runtime_error(what), offset_(offset), is_limit_(is_limit) {}
  std::size_t offset() const noexcept { return offset_; }  // the text's size: it ends too early
  bool is_limit() const noexcept { return is_limit_; }     // up to there it is JSON

 private:
  std::size_t offset_;
  bool is_limit_;
};

class Json;
struct JsonMember;
struct JsonPair;  // a member in braces

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
  Json(float value);  // the double that is written with as few digits: 0.2F is 0.2
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
  // On one line, or with this many blanks a level; bytes that are not UTF-8 as U+FFFD, numbers that
  // are not finite as null.
  std::string dump(int indent = -1) const;
  // The beginning of dump(), for messages: at most this many bytes, then "...".
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
  std::optional<double> as_double() const noexcept;  // of any number
  const std::string* as_text() const noexcept;       // nullptr: it is not a string

  std::size_t size() const noexcept;  // of an array or object; else 0
  bool empty() const noexcept { return size() == 0; }
  std::span<const Json> elements() const noexcept;  // empty unless an array, as members() an object
  std::span<const JsonMember> members() const noexcept;
  const Json* find(std::string_view key) const noexcept;  // nullptr also where there is null
  bool contains(std::string_view key) const noexcept;     // also where there is null
  std::string text_at(std::string_view key) const;        // empty: no string is there

  // Building. What is null becomes an array or object; of another kind it must be that already.
  Json& operator[](std::string_view key);
  Json& push_back(Json element);  // the new element, borrowed until the next one
  Json& back();
  void erase(std::string_view key);

  friend bool operator==(const Json& a, const Json& b);  // members in any order

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

  // An unsigned number is only one that does not fit the signed kind.
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
               std::vector<Json>, std::vector<JsonMember>>
      value_;
};

struct JsonMember {
  std::string key;
  Json value;
};

// Behind JsonMember: each of these needs to know how to destroy one.
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

// Reads a text value by value, for those who keep something else than a Json. A handler may throw.
// The members of one name come all.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  // null, true, a number or a string. number: as it stands in the text if it is one with a fraction
  // or exponent, else empty.
  virtual void leaf(Json value, std::string_view number) = 0;
  virtual void key(std::string name) = 0;
  virtual void open(bool is_object) = 0;
  virtual void close() = 0;
};
void read_json(std::string_view text, JsonEvents& into, const JsonRules& rules = {});

}  // namespace confab::base
