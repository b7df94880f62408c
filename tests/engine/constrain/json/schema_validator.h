// SPDX-License-Identifier: MIT
// Random schemas of some keywords, random values, and whether the one is valid under the other:
// written from the drafts alone, to compare grammars with.
#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
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

// Whether a value is valid, and which of its members the keywords have looked at.
struct Verdict {
  bool valid = true;
  std::set<std::string> names = {};
  std::set<std::size_t> items = {};

  // Both must be valid.
  void add(const Verdict& other) {
    valid = valid && other.valid;
    if (!other.valid) return;
    names.insert(other.names.begin(), other.names.end());
    items.insert(other.items.begin(), other.items.end());
  }
};

inline Verdict judge(const Value& schema, const Value& value);

inline bool is_valid(const Value& schema, const Value& value) {
  return judge(schema, value).valid;
}

inline bool is_within(const Value& schema, const char* min, const char* max, double size) {
  return (!schema.contains(min) || size >= schema[min].get<double>()) &&
         (!schema.contains(max) || size <= schema[max].get<double>());
}

inline void judge_array(const Value& schema, const Value& value, Verdict& verdict) {
  const Value prefix = schema.value("prefixItems", Value::array());
  double n_contained = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i < prefix.size() || schema.contains("items")) {
      verdict.valid &= is_valid(i < prefix.size() ? prefix[i] : schema["items"], value[i]);
      verdict.items.insert(i);
    }
    if (!schema.contains("contains") || !is_valid(schema["contains"], value[i])) continue;
    verdict.items.insert(i);
    ++n_contained;
  }
  if (schema.contains("contains"))
    verdict.valid &= n_contained >= schema.value("minContains", 1.0) &&
                     is_within(schema, "minContains", "maxContains", n_contained);
  if (schema.value("uniqueItems", false))
    for (std::size_t i = 0; i < value.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) verdict.valid &= value[i] != value[j];
  verdict.valid &= is_within(schema, "minItems", "maxItems", static_cast<double>(value.size()));
}

inline void judge_object(const Value& schema, const Value& value, Verdict& verdict) {
  const Value properties = schema.value("properties", Value::object());
  for (const auto& [key, item] : value.items()) {
    if (!properties.contains(key) && !schema.contains("additionalProperties")) continue;
    verdict.valid &=
        is_valid(properties.contains(key) ? properties[key] : schema["additionalProperties"], item);
    verdict.names.insert(key);
  }
  for (const Value& name : schema.value("required", Value::array()))
    verdict.valid &= value.contains(name.get<std::string>());
  verdict.valid &=
      is_within(schema, "minProperties", "maxProperties", static_cast<double>(value.size()));
}

inline void judge_in_place(const Value& schema, const Value& value, Verdict& verdict) {
  for (const Value& one : schema.value("allOf", Value::array())) verdict.add(judge(one, value));
  for (const char* key : {"anyOf", "oneOf"}) {
    if (!schema.contains(key)) continue;
    int n = 0;
    for (const Value& one : schema[key]) {
      const Verdict of = judge(one, value);
      n += of.valid;
      if (of.valid) verdict.add(of);
    }
    verdict.valid &= key == std::string("anyOf") ? n > 0 : n == 1;
  }
  if (schema.contains("not")) verdict.valid &= !is_valid(schema["not"], value);
  if (schema.contains("if")) {
    const Verdict condition = judge(schema["if"], value);
    if (condition.valid) verdict.add(condition);
    const char* next = condition.valid ? "then" : "else";
    if (schema.contains(next)) verdict.add(judge(schema[next], value));
  }
  const Value dependent = schema.value("dependentSchemas", Value::object());
  for (const auto& [name, of] : dependent.items())
    if (value.is_object() && value.contains(name)) verdict.add(judge(of, value));
}

inline void judge_the_rest(const Value& schema, const Value& value, Verdict& verdict) {
  if (schema.contains("unevaluatedProperties") && value.is_object())
    for (const auto& [key, item] : value.items())
      if (verdict.names.insert(key).second)
        verdict.valid &= is_valid(schema["unevaluatedProperties"], item);
  if (schema.contains("unevaluatedItems") && value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      if (verdict.items.insert(i).second)
        verdict.valid &= is_valid(schema["unevaluatedItems"], value[i]);
}

inline Verdict judge(const Value& schema, const Value& value) {
  if (schema.is_boolean()) return {.valid = schema.get<bool>()};
  Verdict verdict;
  verdict.valid = !schema.contains("type") || is_of_type(value, schema["type"]);
  if (schema.contains("const")) verdict.valid &= schema["const"] == value;
  if (schema.contains("enum")) verdict.valid &= std::ranges::count(schema["enum"], value) > 0;
  if (value.is_number())
    verdict.valid &= is_within(schema, "minimum", "maximum", value.get<double>());
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; };
    const auto n = std::ranges::count_if(text, is_first);
    verdict.valid &= is_within(schema, "minLength", "maxLength", static_cast<double>(n));
  }
  if (value.is_array()) judge_array(schema, value, verdict);
  if (value.is_object()) judge_object(schema, value, verdict);
  judge_in_place(schema, value, verdict);
  judge_the_rest(schema, value, verdict);
  return verdict;
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

// A schema that is made of others about the same value, with what these leave unevaluated limited.
inline Value random_combination(std::mt19937& rng, int depth) {
  const auto one_in = [&](unsigned n) { return rng() % n == 0; };
  const auto below = [&](unsigned n) { return static_cast<int>(rng() % n); };
  const Value simple = Value::parse(
      R"([true, false, {"const": 1}, {"type": "string"}, {"enum": ["a", "ab"]}, {"type": "null"}])");
  const auto any_simple = [&] { return simple[rng() % simple.size()]; };
  // What cannot be excluded again does not come too often.
  const auto for_the_rest = [&] { return one_in(4) ? any_simple() : Value(one_in(4)); };
  Value schema = Value::object();
  const bool is_array = one_in(3);
  for (const char* name : {"a", "b", "c"}) {
    if (!is_array && one_in(3)) schema["properties"][name] = any_simple();
    if (!is_array && one_in(7)) schema["required"].push_back(name);
  }
  if (!is_array && one_in(12)) schema["additionalProperties"] = for_the_rest();
  for (int i = below(3); is_array && i > 0; --i) schema["prefixItems"].push_back(any_simple());
  if (is_array && one_in(8)) schema["items"] = any_simple();
  if (is_array && one_in(4)) schema["contains"] = any_simple();
  if (schema.contains("contains") && one_in(3)) schema["minContains"] = below(3);
  if (schema.contains("contains") && one_in(4)) schema["maxContains"] = 1 + below(2);
  if (one_in(3)) schema["unevaluatedProperties"] = for_the_rest();
  if (one_in(3)) schema["unevaluatedItems"] = any_simple();
  if (depth == 0) return schema;
  for (const char* key : {"allOf", "anyOf", "oneOf"})
    for (int i = one_in(3) ? 1 + below(3) : 0; i > 0; --i)
      schema[key].push_back(random_combination(rng, depth - 1));
  if (one_in(6)) schema["not"] = random_combination(rng, depth - 1);
  for (const char* key : {"if", "then", "else"})
    if (one_in(4)) schema[key] = random_combination(rng, depth - 1);
  if (one_in(5)) schema["dependentSchemas"]["b"] = random_combination(rng, depth - 1);
  return schema;
}

}  // namespace confab::engine
