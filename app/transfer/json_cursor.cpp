// SPDX-License-Identifier: MIT
#include "app/transfer/json_cursor.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/error.h"

namespace confab::app {
namespace {

using nlohmann::json;

const json& value_of(const void* value) {
  return *static_cast<const json*>(value);
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without the brackets, and
// without the line where the text is one: it may be one of a file.
std::string fault_in(std::string_view text, std::string what) {
  constexpr std::string_view kLine = " at line 1, ";
  if (const std::size_t end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
  const std::size_t line = what.find(kLine);
  if (line != std::string::npos && text.find('\n') == std::string_view::npos)
    what.replace(line, kLine.size(), " at ");
  return what;
}

}  // namespace

struct JsonDocument::Value {
  json root;
};

bool JsonCursor::is_array() const noexcept {
  return value_of(value_).is_array();
}
bool JsonCursor::is_object() const noexcept {
  return value_of(value_).is_object();
}
bool JsonCursor::is_string() const noexcept {
  return value_of(value_).is_string();
}

void JsonCursor::fail(std::string_view what) const {
  throw UserError(place_.empty() ? fmt::format("{}: {}", *file_, what)
                                 : fmt::format("{}: {}: {}", *file_, place_, what));
}

void JsonCursor::fail_expected(std::string_view expected) const {
  const std::string_view type = value_of(value_).type_name();
  const bool vowel = type == "array" || type == "object";
  fail(fmt::format("found {} {}, expected {}", vowel ? "an" : "a", type, expected));
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const {
  const json& value = value_of(value_);
  if (!value.is_object()) fail_expected("an object");
  const auto it = value.find(std::string(key));
  if (it == value.end() || it->is_null()) return std::nullopt;
  const std::string place = place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
  return JsonCursor(&*it, file_, place);
}

JsonCursor JsonCursor::at(std::string_view key) const {
  if (auto found = find(key)) return *std::move(found);
  fail(fmt::format("\"{}\" is missing", key));
}

std::vector<JsonCursor> JsonCursor::elements() const {
  const json& value = value_of(value_);
  if (!value.is_array()) fail_expected("an array");
  std::vector<JsonCursor> all;
  all.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i)
    all.push_back(JsonCursor(&value[i], file_, fmt::format("{}[{}]", place_, i)));
  return all;
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  const json& value = value_of(value_);
  if (!value.is_object()) fail_expected("an object");
  std::vector<std::pair<std::string, JsonCursor>> all;
  for (auto it = value.begin(); it != value.end(); ++it) {
    const std::string place = place_.empty() ? it.key() : fmt::format("{}.{}", place_, it.key());
    all.emplace_back(it.key(), JsonCursor(&*it, file_, place));
  }
  return all;
}

std::string JsonCursor::string() const {
  const json& value = value_of(value_);
  if (!value.is_string()) fail_expected("a string");
  return value.get<std::string>();
}

std::int64_t JsonCursor::integer() const {
  const json& value = value_of(value_);
  if (!value.is_number_integer()) fail_expected("a whole number");
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    fail("found a number that is too large");
  return value.get<std::int64_t>();
}

double JsonCursor::number() const {
  const json& value = value_of(value_);
  if (!value.is_number()) fail_expected("a number");
  return value.get<double>();
}

bool JsonCursor::boolean() const {
  const json& value = value_of(value_);
  if (!value.is_boolean()) fail_expected("true or false");
  return value.get<bool>();
}

std::string JsonCursor::text() const {
  return value_of(value_).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

JsonDocument::JsonDocument(std::string_view text, std::string name)
    : value_(std::make_unique<Value>()), name_(std::move(name)) {
  try {
    value_->root = json::parse(text);
  } catch (const json::exception& fault) {
    throw UserError(fmt::format("{}: not JSON: {}", name_, fault_in(text, fault.what())));
  }
}

JsonDocument::~JsonDocument() = default;

JsonCursor JsonDocument::root() const {
  return JsonCursor(&value_->root, &name_, "");
}

}  // namespace confab::app
