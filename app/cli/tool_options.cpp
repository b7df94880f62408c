// SPDX-License-Identifier: MIT
#include "app/cli/tool_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "app/cli/option_flags.h"
#include "app/cli/parser.h"
#include "app/error.h"
#include "engine/gguf/file_type.h"

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

void add_fit_options(CLI::App& app, FitWords& words, ChatOptions& options) {
  using enum OptionGroup;
  app.add_option("MODEL", words.model, "GGUF file, folder of a model, or a name (or -m)")
      ->type_name("");
  add_options(app, options, {model, context, draft});
  app.add_flag("--table", words.table,
               "Show which sizes of models fit, from 3B to 405B, by bits and context");
  app.add_option("--memory", words.memory, "For a machine with so much memory free: 16G")
      ->type_name("SIZE");
  app.add_flag("--json", words.json, "Print JSON");
}

FitOptions finish_fit_options(const FitWords& words, ModelOptions model) {
  FitOptions options{.model = std::move(model), .table = words.table, .json = words.json};
  if (!words.model.empty()) {
    if (options.model.named && options.model.path != words.model)
      throw UsageError("--model and MODEL cannot be used together: give one of them");
    options.model.path = words.model;
    options.model.named = true;
  }
  if (words.table && options.model.named)
    throw UsageError("--table and a model cannot be used together: give one of them");
  if (words.memory.empty()) return options;
  options.memory_bytes = parse_memory(words.memory);
  if (!options.memory_bytes)
    throw UsageError(
        fmt::format("--memory must be a size such as 16G or 512M, not {}", words.memory));
  return options;
}

std::optional<std::uint64_t> parse_memory(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  // libc++ has from_chars() for floating point only since version 20. strtod() also accepts signs,
  // exponents and hexadecimal digits, so it is given only digits and points.
  const std::string number(text.substr(0, text.find_first_not_of("0123456789.")));
  char* stop = nullptr;
  double value = std::strtod(number.c_str(), &stop);
  if (!(value > 0)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(stop - number.c_str()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (!unit.empty() && unit != "B") {
    const std::size_t power = kUnits.find(static_cast<char>(unit[0] & ~0x20));
    unit.remove_prefix(1);
    if (power == std::string_view::npos || (!unit.empty() && unit != "B" && unit != "iB"))
      return std::nullopt;
    value = std::ldexp(value, 10 * static_cast<int>(power + 1));
  }
  if (value < 1 || value > std::ldexp(1, 60)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

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

void add_models_options(CLI::App& app, ModelsOptions& options) {
  app.add_flag("--all-revisions", options.all_revisions,
               "Also list what Hugging Face's cache has of other branches and older commits");
  app.add_flag("--json", options.json, "Print JSON");
}

void add_pull_options(CLI::App& app, PullOptions& options) {
  app.add_option("MODEL", options.model,
                 "ORG/NAME as on huggingface.co, with :QUANT or :FILE where it is not to be Q4_K_M")
      ->type_name("");
  app.add_flag("--suggest", options.suggest, "Name three models that fit this machine");
  app.add_flag("-q,--quiet", options.quiet, "Print only the path of the file");
}

PullOptions finish_pull_options(PullOptions options) {
  if (options.suggest && !options.model.empty())
    throw UsageError("--suggest and MODEL cannot be used together: give one of them");
  if (!options.suggest && options.model.empty())
    throw UsageError(
        "which model? confab pull ORG/NAME[:QUANT]; confab pull --suggest names three");
  return options;
}

void add_remove_options(CLI::App& app, RemoveOptions& options) {
  app.add_option("MODEL", options.model, "As confab pull takes it, or the name of its file")
      ->required()
      ->type_name("");
  app.add_flag("-y,--yes", options.yes, "Do not ask for confirmation");
}

namespace {

CLI::App* add_debug_command(CLI::App& app, DebugOptions& options, DebugCommand command,
                            const char* name, const char* help) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->callback([&options, command] { options.command = command; });
  return sub;
}

void add_run_options(CLI::App& sub, DebugOptions& options, ChatOptions& chat) {
  add_options(sub, chat, {OptionGroup::model, OptionGroup::context});
  sub.add_flag("--exact", chat.model.exact, "Keep activations in f32");
  sub.add_option("--tokens", options.tokens_file, "JSON array of token ids; - is standard input")
      ->required()
      ->type_name("FILE");
}

void add_text_commands(CLI::App& app, DebugOptions& options, ChatOptions& chat) {
  CLI::App* sub = add_debug_command(app, options, DebugCommand::tokenize, "tokenize",
                                    "Turn text on stdin into a JSON array of token ids");
  add_options(*sub, chat, {OptionGroup::model});
  sub->add_flag("--special", options.special, "Read the text of special tokens as those tokens");
  sub->add_flag("--bos", options.bos, "Add BOS and EOS where the model wants them");
  sub->add_flag("--jsonl", options.jsonl, "Read a JSON string or {\"hex\": \"...\"} per line");

  sub = add_debug_command(app, options, DebugCommand::detokenize, "detokenize",
                          "Turn a JSON array of token ids on stdin into bytes");
  add_options(*sub, chat, {OptionGroup::model});
  sub->add_flag("--jsonl", options.jsonl,
                "Read an array per line; write {\"hex\": \"...\"} per line");

  sub = add_debug_command(app, options, DebugCommand::render, "render",
                          "Turn a JSON request on stdin into a prompt, with the chat template");
  add_options(*sub, chat, {OptionGroup::model});
  sub->add_option("--template", options.template_file,
                  "Jinja file to use instead of the model's template")
      ->type_name("FILE");
  sub->add_option("--bos", options.bos_token, "With --template: text of bos_token");
  sub->add_option("--eos", options.eos_token, "With --template: text of eos_token");
  sub->add_flag("--jsonl", options.jsonl,
                "Read a request per line; write {\"text\"} or {\"error\"} per line");
}

}  // namespace

void add_debug_options(CLI::App& app, DebugOptions& options, ChatOptions& chat) {
  app.require_subcommand(1);
  add_text_commands(app, options, chat);
  CLI::App* sub =
      add_debug_command(app, options, DebugCommand::logits, "logits",
                        "Write the logits of all positions, float32 [n_tokens, n_vocab]");
  add_run_options(*sub, options, chat);
  sub->add_option("--out", options.out_file, "NumPy file to write")->required()->type_name("FILE");
  sub = add_debug_command(app, options, DebugCommand::greedy, "greedy",
                          "Print the next token ids of greedy decoding as a JSON array");
  add_run_options(*sub, options, chat);
  add_count(*sub, "-n,--predict", options.n_predict, {1, 1 << 20}, "Number of tokens");
  sub = add_debug_command(app, options, DebugCommand::info, "info",
                          "Show metadata, tensors, and the memory the model needs");
  add_options(*sub, chat, {OptionGroup::model, OptionGroup::context});
  sub = add_debug_command(app, options, DebugCommand::cache_stat, "cache-stat",
                          "Print hits, misses and bytes of the prompt cache as JSON");
  add_options(*sub, chat, {OptionGroup::model, OptionGroup::context});
  sub->add_option("--tokens", options.tokens_file, "JSON array of token ids to look up")
      ->type_name("FILE");
}

}  // namespace confab::app
