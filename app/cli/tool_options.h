// SPDX-License-Identifier: MIT
// The command lines of the commands that work on models instead of chatting with one: bench, fit,
// quantize, models, pull, rm and debug.
//
// For each, add_...() describes the options to the parser, and finish_...() checks what was typed
// and turns it into options. Everything that add_...() takes by reference must outlive the parsing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/options.h"

namespace CLI {
class App;
}

namespace confab::app {

// The words as they were typed.
struct BenchWords {
  BenchOptions options = {};
  std::string format = "md";
};
// `chat` receives the options about the model.
void add_bench_options(CLI::App& app, BenchWords& words, ChatOptions& chat);
BenchOptions finish_bench_options(const BenchWords& words, const ModelOptions& model);

struct FitWords {
  std::string model = {};  // after the command, as with -m
  bool table = false;
  std::string memory = {};
  bool json = false;
};
// `chat` receives the options about the model and how it would run.
void add_fit_options(CLI::App& app, FitWords& words, ChatOptions& chat);
// `model` is what the options say. Throws UsageError.
FitOptions finish_fit_options(const FitWords& words, ModelOptions model);
// "16G", "16 GiB", "512M" and plain bytes; nullopt if the text is not a size.
std::optional<std::uint64_t> parse_memory(std::string_view text);

struct QuantizeWords {
  QuantizeCommand command = {};
  std::string type = {};
};
void add_quantize_options(CLI::App& app, QuantizeWords& words);
// Throws UsageError.
QuantizeCommand finish_quantize_options(const QuantizeWords& words);

void add_models_options(CLI::App& app, ModelsOptions& options);
void add_pull_options(CLI::App& app, PullOptions& options);
// Throws UsageError.
PullOptions finish_pull_options(PullOptions options);
void add_remove_options(CLI::App& app, RemoveOptions& options);

// Adds the subcommands of `confab debug`. `chat` receives the options about the model and how it
// runs.
void add_debug_options(CLI::App& app, DebugOptions& options, ChatOptions& chat);

}  // namespace confab::app
