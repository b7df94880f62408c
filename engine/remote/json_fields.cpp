// SPDX-License-Identifier: MIT
#include "engine/remote/json_fields.h"

#include <climits>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/text/utf8_stream.h"

namespace confab::engine {
namespace {

std::string as_utf8(std::string_view bytes) {
  std::string text;
  Utf8Stream stream;
  stream.push(bytes, text);
  stream.finish(text);
  return text;
}

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) json = Json::parse(as_utf8(text), nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* field(const Json& json, std::string_view key) noexcept {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

const Json* field(const Json* json, std::string_view key) noexcept {
  return json == nullptr ? nullptr : field(*json, key);
}

const Json* field(const Json& json, std::string_view key, std::string_view inner) noexcept {
  return field(field(json, key), inner);
}

std::string text_of(const Json* json) {
  return json != nullptr && json->is_string() ? json->get<std::string>() : "";
}

std::optional<double> number_of(const Json* json) {
  if (json == nullptr || !json->is_number()) return std::nullopt;
  const double number = json->get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> whole_of(const Json* json) {
  const auto number = number_of(json);
  constexpr double kMost = 1e18;
  if (!number || *number < 0 || *number > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

int count_of(const Json* json) {
  const auto number = whole_of(json);
  return number && *number <= INT_MAX ? static_cast<int>(*number) : 0;
}

bool is_true(const Json* json) noexcept {
  return json != nullptr && json->is_boolean() && json->get<bool>();
}

}  // namespace confab::engine
