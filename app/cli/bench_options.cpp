// SPDX-License-Identifier: MIT
#include "app/cli/bench_options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "app/cli/option_flags.h"
#include "app/cli/parser.h"

namespace confab::app {

void add_bench_options(CLI::App& app, BenchWords& words, ChatOptions& chat) {
  BenchOptions& options = words.options;
  add_options(app, chat, {OptionGroup::model, OptionGroup::context, OptionGroup::draft});
  add_gpu_layers(app, chat);
  constexpr std::pair kTokens{0, 1 << 20};
  add_count(app, "-p,--n-prompt", options.n_prompt, kTokens, "Tokens to prefill; 0: none");
  add_count(app, "-n,--n-gen", options.n_gen, kTokens, "Tokens to decode; 0: none");
  add_count(app, "-d,--depth", options.n_depth, kTokens,
            "Tokens already in the cache before each test");
  app.add_option("--passes", options.passes,
                 "Also measure passes of so many tokens, each with its logits: 1,2,4,8")
      ->delimiter(',')
      ->check(CLI::Range(1, 512))
      ->type_name("N,...");
  app.add_option("--parallel", options.parallel,
                 "Also decode so many sequences together (also -npl): 1,2,4,8")
      ->delimiter(',')
      ->check(CLI::Range(1, 64))
      ->type_name("N,...");
  app.add_option("--replay", options.replay,
                 "Also write the text of ANSWER after that of PROMPT, with and without look-up")
      ->expected(2)
      ->type_name("PROMPT ANSWER");
  app.add_flag("--kernels", options.kernels,
               "Also tell what a graphics processor runs, kernel by kernel: dispatches, "
               "instructions, bytes, time");
  add_count(app, "-r,--repetitions", options.repetitions, {1, 1000}, "Runs of each test");
  add_choice(app, "-o,--output", words.format, {"json", "md"}, "Format of the table");
  app.add_flag("-v,--verbose", options.verbose, "Also print the number of barriers per layer");
}

BenchOptions finish_bench_options(const BenchWords& words, const ModelOptions& model) {
  BenchOptions options = words.options;
  options.json = words.format == "json";
  options.model = model;
  return options;
}

}  // namespace confab::app
