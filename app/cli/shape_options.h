// SPDX-License-Identifier: MIT
// The options that give an answer its shape.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace confab::app {

// What these options say, until all of them have been read.
struct ShapeWords {
  std::string schema = {};
  std::string schema_file = {};
  std::string grammar = {};
  std::string grammar_file = {};
  std::string pattern = {};
  std::vector<std::string> markers = {};  // that it stands between: the opening and the closing one
};

void add_shape_options(CLI::App& app, ShapeWords& words);
// One of them at most. Throws UsageError: there are several, a file cannot be read, or the schema,
// grammar or expression is not one.
engine::ConstraintSpec shape_of(const ShapeWords& words);

}  // namespace confab::app
