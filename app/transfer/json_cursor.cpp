// SPDX-License-Identifier: MIT
#include "app/transfer/json_cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/error.h"

namespace confab::app {

using base::Json;

bool JsonCursor::is_array() const noexcept {
  return value_->is_array();
}
bool JsonCursor::is_object() const noexcept {
  return value_->is_object();
}
bool JsonCursor::is_string() const noexcept {
  return value_->is_string();
}

std::string JsonCursor::text() const {
  return value_->dump();
}

void JsonCursor::fail(std::string_view what) const {
  throw UserError(place_.empty() ? fmt::format("{}: {}", *file_, what)
                                 : fmt::format("{}: {}: {}", *file_, place_, what));
}

void JsonCursor::fail_expected(std::string_view expected) const {
  const std::string_view type = value_->type_name();
  const bool vowel = type == "array" || type == "object";
  fail(fmt::format("found {} {}, expected {}", vowel ? "an" : "a", type, expected));
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const {
  if (!value_->is_object()) fail_expected("an object");
  const Json* found = value_->find(key);
  if (found == nullptr) return std::nullopt;
  const std::string place = place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
  return JsonCursor(found, file_, place);
}

JsonCursor JsonCursor::at(std::string_view key) const {
  if (auto found = find(key)) return *std::move(found);
  fail(fmt::format("\"{}\" is missing", key));
}

std::vector<JsonCursor> JsonCursor::elements() const {
  if (!value_->is_array()) fail_expected("an array");
  std::vector<JsonCursor> all;
  all.reserve(value_->size());
  for (const Json& element : value_->elements())
    all.push_back(JsonCursor(&element, file_, fmt::format("{}[{}]", place_, all.size())));
  return all;
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  if (!value_->is_object()) fail_expected("an object");
  std::vector<std::pair<std::string, JsonCursor>> all;
  for (const auto& [key, value] : value_->members()) {
    const std::string place = place_.empty() ? key : fmt::format("{}.{}", place_, key);
    all.emplace_back(key, JsonCursor(&value, file_, place));
  }
  return all;
}

std::string JsonCursor::string() const {
  const std::string* text = value_->as_text();
  if (text == nullptr) fail_expected("a string");
  return *text;
}

std::int64_t JsonCursor::integer() const {
  if (!value_->is_integer()) fail_expected("a whole number");
  const auto number = value_->as_int();
  if (!number) fail("found a number that is too large");
  return *number;
}

double JsonCursor::number() const {
  const auto number = value_->as_double();
  if (!number) fail_expected("a number");
  return *number;
}

bool JsonCursor::boolean() const {
  const auto value = value_->as_bool();
  if (!value) fail_expected("true or false");
  return *value;
}

JsonDocument::JsonDocument(std::string_view text, std::string name) : name_(std::move(name)) {
  // In conversations the shortest values are the tokens of answers, which are few compared with the
  // text.
  constexpr std::size_t kBytesPerValue = 8;
  try {
    root_ = Json::parse(
        text, {.most_values = std::max(base::kMostJsonValues, text.size() / kBytesPerValue)});
  } catch (const base::JsonError& fault) {
    throw UserError(fmt::format("{}: not JSON: {}", name_, fault.what()));
  }
}

JsonCursor JsonDocument::root() const {
  return JsonCursor(&root_, &name_, "");
}

}  // namespace confab::app
