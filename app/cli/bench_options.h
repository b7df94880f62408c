// SPDX-License-Identifier: MIT
// The command line of `confab bench`.
#pragma once

#include <string>

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// As they were typed.
struct BenchWords {
  BenchOptions options = {};
  std::string format = "md";
};

// `chat` gets what is said of the model. Both must outlive the parsing.
void add_bench_options(CLI::App& app, BenchWords& words, ChatOptions& chat);
BenchOptions finish_bench_options(const BenchWords& words, const ModelOptions& model);

}  // namespace confab::app
