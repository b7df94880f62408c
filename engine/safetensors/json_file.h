// SPDX-License-Identifier: MIT
// The JSON files of a model's folder, read field by field. Errors name the file and the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"

namespace confab::engine {

using base::Json;

// A configuration has a few hundred values, or a few per tensor.
constexpr std::size_t kMostConfigValues = 1'000'000;

// Both throw ModelError "PATH: ..." if the file is not a JSON object. NaN and Infinity, which
// Python writes, count as null and so as absent.
Json read_json(const std::string& path, std::size_t most_values = kMostConfigValues);
Json read_json_or_empty(const std::string& path);  // an empty object if there is no such file

// The fields of an object. A null field counts as absent. Borrows both arguments.
class JsonFields {
 public:
  // path: the file, followed by the path to the object: "m/config.json: text_config".
  JsonFields(std::string path, const Json& object) : path_(std::move(path)), object_(&object) {}

  // Throws ModelError "PATH: <what>".
  [[noreturn]] void fail(const std::string& what) const;
  const Json* find(std::string_view key) const;  // nullptr: absent

  // These return nullopt if the field is absent and throw ModelError if it is of another kind.
  std::optional<std::int64_t> find_int(std::string_view key) const;
  std::optional<double> find_number(std::string_view key) const;
  std::optional<bool> find_flag(std::string_view key) const;
  std::optional<std::string> find_text(std::string_view key) const;
  std::optional<JsonFields> find_object(std::string_view key) const;

  // Reads a number from 1 to max. Throws ModelError if the field is absent or anything else.
  std::uint32_t count(std::string_view key, std::int64_t max = std::int64_t{1} << 30) const;
  std::optional<std::uint32_t> find_count(std::string_view key,
                                          std::int64_t max = std::int64_t{1} << 30) const;

 private:
  [[noreturn]] void refuse(std::string_view key, const Json& value,
                           std::string_view expected) const;

  std::string path_;
  const Json* object_;
};

}  // namespace confab::engine
