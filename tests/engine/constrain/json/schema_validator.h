// SPDX-License-Identifier: MIT
// Random schemas of some keywords, random values, and whether the one is valid under the other:
// written from the drafts alone, to compare grammars with.
#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace confab::engine {

using Value = nlohmann::json;

inline bool is_of_type(const Value& value, const std::string& type) {
  if (type == "integer")
    return value.is_number() && value.get<double>() == std::floor(value.get<double>());
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  return type == "array" ? value.is_array() : value.is_object();
}

inline bool is_valid(const Value& schema, const Value& value);

inline bool is_within(const Value& schema, const char* min, const char* max, double size) {
  return (!schema.contains(min) || size >= schema[min].get<double>()) &&
         (!schema.contains(max) || size <= schema[max].get<double>());
}

inline bool is_valid_array(const Value& schema, const Value& value) {
  const Value prefix = schema.value("prefixItems", Value::array());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Value item = i < prefix.size() ? prefix[i] : schema.value("items", Value(true));
    if (!is_valid(item, value[i])) return false;
  }
  return is_within(schema, "minItems", "maxItems", static_cast<double>(value.size()));
}

inline bool is_valid_object(const Value& schema, const Value& value) {
  const Value properties = schema.value("properties", Value::object());
  for (const auto& [key, item] : value.items()) {
    const Value of = properties.contains(key) ? properties[key]
                                              : schema.value("additionalProperties", Value(true));
    if (!is_valid(of, item)) return false;
  }
  for (const Value& name : schema.value("required", Value::array()))
    if (!value.contains(name.get<std::string>())) return false;
  return is_within(schema, "minProperties", "maxProperties", static_cast<double>(value.size()));
}

inline bool is_valid(const Value& schema, const Value& value) {
  if (schema.is_boolean()) return schema.get<bool>();
  const auto fits = [&](const Value& one) { return is_valid(one, value); };
  if (schema.contains("type") && !is_of_type(value, schema["type"])) return false;
  if (schema.contains("const") && schema["const"] != value) return false;
  if (schema.contains("enum") && std::ranges::count(schema["enum"], value) == 0) return false;
  if (schema.contains("anyOf") && std::ranges::none_of(schema["anyOf"], fits)) return false;
  if (schema.contains("allOf") && !std::ranges::all_of(schema["allOf"], fits)) return false;
  if (value.is_number() && !is_within(schema, "minimum", "maximum", value.get<double>()))
    return false;
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; };
    const auto n = std::ranges::count_if(text, is_first);
    if (!is_within(schema, "minLength", "maxLength", static_cast<double>(n))) return false;
  }
  if (value.is_array()) return is_valid_array(schema, value);
  return !value.is_object() || is_valid_object(schema, value);
}

inline Value random_value(std::mt19937& rng, int depth) {
  static const Value scalars = Value::parse(
      R"([null, true, false, 0, 1, 2, -1, 2.5, 10, "", "a", "ab", "é", "a\"\n", "abcd"])");
  const auto kind = rng() % (depth > 0 ? 4 : 2);
  if (kind < 2) return scalars[rng() % scalars.size()];
  Value all = kind == 2 ? Value::array() : Value::object();
  for (auto n = rng() % 4; n > 0; --n) {
    const Value item = random_value(rng, depth - 1);
    if (kind == 2)
      all.push_back(item);
    else
      all[std::string(1, "abcd"[rng() % 4])] = item;
  }
  return all;
}

inline Value random_schema(std::mt19937& rng, int depth) {
  const char* types[] = {"null", "boolean", "integer", "number", "string", "array", "object"};
  const auto one_in = [&](unsigned n) { return rng() % n == 0; };
  const auto below = [&](unsigned n) { return static_cast<int>(rng() % n); };
  Value schema = Value::object();
  if (depth == 0 && one_in(6)) return Value(!one_in(4));
  if (!one_in(3)) schema["type"] = types[rng() % 7];
  if (one_in(8)) schema["const"] = random_value(rng, 1);
  if (one_in(6))
    for (int i = 0; i < 4; ++i) schema["enum"].push_back(random_value(rng, 1));
  if (one_in(4)) schema["minimum"] = below(5) - 2;
  if (one_in(4)) schema["maximum"] = below(20) / 2.0;
  if (one_in(5)) schema["minLength"] = below(3);
  if (one_in(5)) schema["maxLength"] = below(4);
  if (one_in(5)) schema["minItems"] = below(3);
  if (one_in(5)) schema["maxItems"] = below(4);
  if (one_in(5)) schema["minProperties"] = below(2);
  if (one_in(5)) schema["maxProperties"] = below(4);
  if (depth == 0) return schema;
  if (one_in(3)) schema["items"] = random_schema(rng, depth - 1);
  for (int i = below(3); one_in(3) && i > 0; --i)
    schema["prefixItems"].push_back(random_schema(rng, depth - 1));
  for (const char* name : {"a", "b", "c"}) {
    if (one_in(2)) schema["properties"][name] = random_schema(rng, depth - 1);
    if (one_in(5)) schema["required"].push_back(name);
  }
  if (one_in(3)) schema["additionalProperties"] = random_schema(rng, depth - 1);
  for (const char* key : {"anyOf", "allOf"})
    for (int i = 0; one_in(4) && i < 2; ++i) schema[key].push_back(random_schema(rng, depth - 1));
  return schema;
}

}  // namespace confab::engine
