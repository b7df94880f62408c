// SPDX-License-Identifier: MIT
// The command line of `confab quantize`.
#pragma once

#include <string>

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// As they were typed.
struct QuantizeWords {
  QuantizeCommand command = {};
  std::string type = {};
};

// The words must outlive the parsing.
void add_quantize_options(CLI::App& app, QuantizeWords& words);
// Throws UsageError.
QuantizeCommand finish_quantize_options(const QuantizeWords& words);

}  // namespace confab::app
