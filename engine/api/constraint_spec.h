// SPDX-License-Identifier: MIT
// The shape that an answer must have, as the user wrote it.
#pragma once

#include <string>
#include <vector>

namespace confab::engine {

struct ConstraintSpec {
  enum class Kind { none, json_schema, gbnf, pattern, choices };
  bool operator==(const ConstraintSpec&) const = default;

  Kind kind = Kind::none;
  std::string text = {};                  // a schema, a grammar, a regular expression
  std::vector<std::string> choices = {};  // the answer is one of these
  // If these are not empty, only the text between such markers must have the shape; the rest of the
  // answer is free.
  std::string opening = {};
  std::string closing = {};
};

// Throws ModelError with one line that says what is wrong and where.
void check_constraint(const ConstraintSpec& spec);

}  // namespace confab::engine
