// SPDX-License-Identifier: MIT
#include "engine/remote/json_fields.h"

#include <climits>
#include <cmath>

namespace confab::engine {
namespace {

// More than any engine sends: a list of 2,000 models has 60,000 values.
constexpr std::size_t kMostValues = 1'000'000;

}  // namespace

std::optional<Json> parse_json(std::string_view text, Halves halves) {
  try {
    return Json::parse(
        text, {.lenient = true, .keep_halves = halves == Halves::keep, .most_values = kMostValues});
  } catch (const base::JsonError& fault) {
    return fault.is_limit() ? std::optional<Json>(Json()) : std::nullopt;
  }
}

const Json* field(const Json& json, std::string_view key) noexcept {
  return json.find(key);
}

const Json* field(const Json* json, std::string_view key) noexcept {
  return json == nullptr ? nullptr : json->find(key);
}

const Json* field(const Json& json, std::string_view key, std::string_view inner) noexcept {
  return field(json.find(key), inner);
}

std::string text_of(const Json* json) {
  const std::string* text = json == nullptr ? nullptr : json->as_text();
  return text == nullptr ? "" : *text;
}

std::optional<double> number_of(const Json* json) {
  const auto number = json == nullptr ? std::nullopt : json->as_double();
  return number && std::isfinite(*number) ? number : std::nullopt;
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
  return json != nullptr && json->as_bool() == true;
}

}  // namespace confab::engine
