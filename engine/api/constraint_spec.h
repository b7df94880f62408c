// SPDX-License-Identifier: MIT
// The shape that an answer must have, as a person wrote it.
#pragma once

#include <string>
#include <vector>

namespace confab::engine {

struct ConstraintSpec {
  enum class Kind { none, json_schema, gbnf, pattern, choices };
  bool operator==(const ConstraintSpec&) const = default;

  Kind kind = Kind::none;
  std::string text = {};                  // a schema, a grammar, a regular expression
  std::vector<std::string> choices = {};  // of which the answer is one
  // Where they are not empty, the answer is free but for what stands between such markers, which
  // has the shape each time.
  std::string opening = {};
  std::string closing = {};
};

// Throws ModelError, one line that says what is wrong with it and where.
void check_constraint(const ConstraintSpec& spec);

}  // namespace confab::engine
