// SPDX-License-Identifier: MIT
#include "app/cli/quantize_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/cli/parser.h"
#include "app/error.h"
#include "engine/gguf/file_type.h"

namespace confab::app {

void add_quantize_options(CLI::App& app, QuantizeWords& words) {
  QuantizeCommand& command = words.command;
  app.add_option("IN", command.in,
                 "GGUF file (F32, F16, BF16 or Q8_0), or folder with safetensors files")
      ->required()
      ->type_name("FILE");
  app.add_option("OUT", command.out, "File to write, which appears once it is complete")
      ->required()
      ->type_name("FILE");
  app.add_option("TYPE", words.type, engine::file_type_names())->required()->type_name("");
  add_count(app, "-t,--threads", command.n_threads, {1, kMaxThreads},
            "Number of threads (default: all cores)");
  app.add_flag("--force", command.force, "Replace OUT if it exists");
}

QuantizeCommand finish_quantize_options(const QuantizeWords& words) {
  const engine::FileType* found = engine::find_file_type(words.type);
  if (found == nullptr)
    throw UsageError(
        fmt::format("TYPE must be one of {}, not {}", engine::file_type_names(), words.type));
  QuantizeCommand command = words.command;
  command.type = *found;
  return command;
}

}  // namespace confab::app
