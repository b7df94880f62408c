// SPDX-License-Identifier: MIT
// An expression with texts that match it and texts that do not.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/constrain/pattern.h"

namespace confab::engine {

struct PatternCase {
  std::string pattern;
  std::vector<std::string> accepted;
  std::vector<std::string> refused;
};

using PatternParse = RegexId (*)(RegexSet&, std::string_view);

inline void check_pattern(const PatternCase& one, PatternParse parse = parse_pattern) {
  SCOPED_TRACE(one.pattern);
  RegexSet r;
  const RegexId id = parse(r, one.pattern);
  for (const std::string& text : one.accepted) EXPECT_TRUE(r.matches(id, text)) << text;
  for (const std::string& text : one.refused) EXPECT_FALSE(r.matches(id, text)) << text;
}

}  // namespace confab::engine
