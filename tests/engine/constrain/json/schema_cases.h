// SPDX-License-Identifier: MIT
// Schemas with texts that are valid under them and texts that are not.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/constrain/json/json_schema.h"
#include "tests/engine/constrain/read_text.h"
#include "tests/engine/error_of.h"

namespace confab::engine {

struct SchemaCase {
  std::string schema;
  std::vector<std::string> accepted;
  std::vector<std::string> refused;
};

inline TextReader read_schema(std::string_view schema) {
  return TextReader([schema](RegexSet& r) { return parse_json_schema(r, schema); });
}

inline void check_schema(const SchemaCase& one) {
  SCOPED_TRACE(one.schema);
  TextReader reader = read_schema(one.schema);
  for (const std::string& text : one.accepted) EXPECT_TRUE(reader.accepts(text)) << text;
  for (const std::string& text : one.refused) EXPECT_FALSE(reader.accepts(text)) << text;
}

// What is said of a schema that is refused; empty: it is not.
inline std::string fault_of(std::string_view schema) {
  return error_of([&] {
    RegexSet regexes;
    parse_json_schema(regexes, schema);
  });
}

}  // namespace confab::engine
