// SPDX-License-Identifier: MIT
// The command line of `confab fit`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// As they were typed.
struct FitWords {
  std::string model = {};  // behind the command, as with -m
  bool table = false;
  std::string memory = {};
  bool json = false;
};

// Which model, and how it would run, is said in `chat` too; both must outlive the parsing.
void add_fit_options(CLI::App& app, FitWords& words, ChatOptions& chat);
// `model` is what the options say. Throws UsageError.
FitOptions finish_fit_options(const FitWords& words, ModelOptions model);

// "16G", "16 GiB", "512M" and plain bytes; nullopt: it is none.
std::optional<std::uint64_t> parse_memory(std::string_view text);

}  // namespace confab::app
