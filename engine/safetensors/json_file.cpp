// SPDX-License-Identifier: MIT
#include "engine/safetensors/json_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/error.h"
#include "engine/gguf/mapped_file.h"

namespace confab::engine {

Json read_json(const std::string& path, std::size_t most_values) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
  const MappedFile file(path);
  const auto bytes = file.bytes();
  if (bytes.size() > kMaxBytes) {
    throw ModelError(
        fmt::format("{}: has {} bytes, expected at most {}", path, bytes.size(), kMaxBytes));
  }
  try {
    Json json = Json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                            {.lenient = true, .most_values = most_values});
    if (json.is_object()) return json;
    throw ModelError(
        fmt::format("{}: is not an object of JSON: it is of type {}", path, json.type_name()));
  } catch (const base::JsonError& error) {
    throw ModelError(fmt::format("{}: is not an object of JSON: {}", path, error.what()));
  }
}

Json read_json_or_empty(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) ? read_json(path) : Json::object();
}

void JsonFields::fail(const std::string& what) const {
  throw ModelError(fmt::format("{}: {}", path_, what));
}

void JsonFields::refuse(std::string_view key, const Json& value, std::string_view expected) const {
  fail(fmt::format("\"{}\" is {}, expected {}", key, printable(value.excerpt()), expected));
}

const Json* JsonFields::find(std::string_view key) const {
  return object_->find(key);
}

std::optional<std::int64_t> JsonFields::find_int(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = value->as_int();
  if (!number) refuse(key, *value, "a whole number");
  return number;
}

std::optional<double> JsonFields::find_number(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = value->as_double();
  if (!number) refuse(key, *value, "a number");
  return number;
}

std::optional<bool> JsonFields::find_flag(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto flag = value->as_bool();
  if (!flag) refuse(key, *value, "true or false");
  return flag;
}

std::optional<std::string> JsonFields::find_text(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(key, *value, "a text");
  return *value->as_text();
}

std::optional<JsonFields> JsonFields::find_object(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) refuse(key, *value, "an object");
  return JsonFields(fmt::format("{}: {}", path_, key), *value);
}

std::optional<std::uint32_t> JsonFields::find_count(std::string_view key, std::int64_t max) const {
  const auto value = find_int(key);
  if (!value) return std::nullopt;
  if (*value < 1 || *value > max) {
    fail(fmt::format("\"{}\" is {}, expected 1 to {}", key, *value, max));
  }
  return static_cast<std::uint32_t>(*value);
}

std::uint32_t JsonFields::count(std::string_view key, std::int64_t max) const {
  const auto value = find_count(key, max);
  if (!value) fail(fmt::format("\"{}\" is missing", key));
  return *value;
}

}  // namespace confab::engine
