// SPDX-License-Identifier: MIT
#include "app/cli/batch_options.h"

#include <CLI/CLI.hpp>

#include "app/cli/parser.h"

namespace confab::app {

void add_batch_options(CLI::App& app, BatchOptions& options, ChatOptions& chat) {
  app.add_option("FILE", options.in,
                 "Requests, a line of JSON each: {\"prompt\": ...} or {\"messages\": [...]}, or "
                 "OpenAI's batch format")
      ->required()
      ->type_name("FILE");
  app.add_option("-o,--out", options.out,
                 "Answers, a line of JSON each; those that are there already are not asked for "
                 "again")
      ->required()
      ->type_name("FILE");
  add_count(app, "--parallel", options.n_parallel, {1, kMaxParallel},
            "Answers to write at a time (default: 8, or as many as there is memory for)");
  app.add_flag("--ordered", options.ordered, "Write the answers in the order of the requests");
  app.add_option("--system", chat.system,
                 "System prompt of the requests that have none (also -sys)")
      ->type_name("TEXT");
}

}  // namespace confab::app
