// SPDX-License-Identifier: MIT
#include "app/cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>

#include "app/cli/completion_script.h"
#include "app/cli/conversation_options.h"
#include "app/cli/manual.h"
#include "app/cli/parser.h"
#include "app/error.h"
#include "app/parameters.h"
#include "engine/cache/cache_type.h"
#include "engine/gguf/file_type.h"

namespace confab::app {
namespace {

void spell_out(std::vector<std::string>& words) {
  for (std::string& word : words) {
    if (word == "--") return;
    for (const auto& [given, spelling] : kLongSpelling)
      if (word == given) word = spelling;
  }
}

void add_cache_type(CLI::App& app, const std::string& flag, std::optional<kernels::Dtype>& type) {
  app.add_option_function<std::string>(
         flag,
         [&type, flag](const std::string& name) {
           const kernels::DtypeInfo* found = engine::find_cache_type(name);
           if (found == nullptr)
             throw CLI::ValidationError(flag, fmt::format("'{}' is no cache type; known: {}", name,
                                                          engine::cache_type_names()));
           type = found->dtype;
         },
         fmt::format("KV cache type, q8_0 without it: {}", engine::cache_type_names()))
      ->type_name("KV_TYPE");
}

void add_model_options(CLI::App& app, ModelOptions& model) {
  app.add_option("-m,--model", model.path,
                 "GGUF file, or a model by its name; the bundled demo model without it")
      ->each([&model](const std::string&) { model.named = true; })
      ->type_name("MODEL");
  app.add_option("-t,--threads", model.n_threads, "Threads; the usable cores without it")
      ->check(CLI::Range(1, kMaxThreads))
      ->type_name("N");
}

void add_context_options(CLI::App& app, ModelOptions& model) {
  app.add_option("-c,--ctx-size", model.n_ctx,
                 "Context in tokens; the model's own limit, at most 8192, without it")
      ->check(CLI::Range(1, kMaxContext))
      ->type_name("N");
  app.add_option("-b,--batch", model.n_batch, "Tokens computed at once while reading a prompt")
      ->check(CLI::Range(1, 8192))
      ->type_name("N");
  add_cache_type(app, "--cache-type-k", model.type_k);
  add_cache_type(app, "--cache-type-v", model.type_v);
}

void add_parameters(CLI::App& app, AnswerOptions& options) {
  for (const Parameter& parameter : parameters()) {
    const std::string flag(parameter.flag);
    app.add_option_function<std::string>(
           flag,
           [&options, &parameter, name = flag.substr(flag.find("--"))](const std::string& text) {
             const std::string fault = set_parameter(parameter, options, text);
             if (!fault.empty()) throw CLI::ValidationError(fmt::format("{} {}", name, fault));
           },
           help_text(parameter))
        ->type_name("N");
  }
}

// What a command line says: of one command, as each has its own parser.
struct Words {
  explicit Words(const ChatOptions& defaults) : chat(defaults) {
    bench.model = defaults.model;
    cache.max_bytes = defaults.cache_max_bytes;
    debug.model = defaults.model;
  }
  ChatOptions chat;
  bool manual = false;
  std::string shell;       // to print the completion for
  std::string candidates;  // to print of this kind
  BenchOptions bench = {};
  std::string bench_format = "md";
  QuantizeCommand quantize = {};
  std::string quantize_type;
  CacheOptions cache = {};
  DebugOptions debug = {};
};

void add_printing_options(CLI::App& app, Words& words) {
  app.set_version_flag("--version", kVersion);
  app.add_flag("--man", words.manual,
               "Print the manual page (to read it: confab --man | man -l -)");
  app.add_option("--completion", words.shell, "Print what teaches a shell to complete all this")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  app.add_option("--candidates", words.candidates, "Print what there is of a kind")
      ->check(CLI::IsMember({"model", "theme", "conversation"}))
      ->group("");  // for those scripts, so help does not have it
}

void add_chat(CLI::App& app, Words& words) {
  ChatOptions& options = words.chat;
  add_printing_options(app, words);
  app.add_option("-p,--prompt", options.prompt,
                 "Answer this once, with FILEs and standard input attached, and exit")
      ->type_name("TEXT");
  app.add_option("FILE", options.files, "Files to attach to the prompt; - is standard input")
      ->type_name("");
  app.add_flag_callback(
      "--no-stdin", [&options] { options.read_stdin = false; },
      "With -p: leave standard input to others, as in a loop that reads it");
  app.add_flag("-C,--continue", options.continue_last, "Reopen the last conversation");
  app.add_option("--resume", options.resume, "Reopen a conversation")->type_name("NAME|ID");
  app.add_flag("--plain", options.plain,
               "Print into the scrollback, without the full-screen interface");
  app.add_flag("--mouse", options.mouse, "Scroll with the wheel (selecting text then needs Shift)");
  app.add_flag("--stats", options.stats, "With -p: one line of JSON figures on standard error");
  app.add_flag_callback(
      "--incognito", [&options] { options.save = false; },
      "Write nothing to the disk: no conversation, cache or history");
  app.add_option("--system", options.system, "System prompt (also -sys)")->type_name("TEXT");
  app.add_option("--theme", options.theme, "Theme: a name or a TOML file")->type_name("THEME");
  add_model_options(app, options.model);
  add_context_options(app, options.model);
  add_parameters(app, options);
}

Invocation print_completion(const std::string& shell) {
  const std::vector<CommandShape> shapes = command_line_shapes();
  if (shell == "bash") return PrintAndExit{bash_completion(shapes)};
  return PrintAndExit{shell == "zsh" ? zsh_completion(shapes) : fish_completion(shapes)};
}

Invocation finish_chat(Words& words, const CLI::App& app) {
  ChatOptions& options = words.chat;
  if (words.manual) return PrintAndExit{man_page(app)};
  if (!words.shell.empty()) return print_completion(words.shell);
  for (const ValueKind kind : {ValueKind::model, ValueKind::theme, ValueKind::conversation})
    if (words.candidates == name_of(kind)) return CandidatesQuery{kind};
  if (options.continue_last && options.resume)
    throw UsageError("--continue and --resume exclude each other: give one of them");
  const bool names_stdin = std::ranges::find(options.files, "-") != options.files.end();
  if (names_stdin && !options.read_stdin)
    throw UsageError("--no-stdin and the file - exclude each other: give one of them");
  if (!options.files.empty() && !options.prompt)
    throw UsageError(
        fmt::format("{}: a file is attached to a prompt: add -p \"...\" (a model is "
                    "named with -m)",
                    options.files.front()));
  return std::move(options);
}

void add_bench(CLI::App& app, Words& words) {
  BenchOptions& options = words.bench;
  add_model_options(app, options.model);
  add_context_options(app, options.model);
  app.add_option("-p,--n-prompt", options.n_prompt, "Tokens of prefill; 0: none")
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("-n,--n-gen", options.n_gen, "Tokens of decode; 0: none")
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("-d,--depth", options.n_depth, "Tokens in the cache before the measurement")
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("-r,--repetitions", options.repetitions, "Runs of each test")
      ->check(CLI::Range(1, 1000));
  app.add_option("-o,--output", words.bench_format, "json or md")
      ->check(CLI::IsMember({"json", "md"}));
  app.add_flag("-v,--verbose", options.verbose, "Also the barriers of a layer");
}

Invocation finish_bench(Words& words, const CLI::App&) {
  words.bench.json = words.bench_format == "json";
  return std::move(words.bench);
}

void add_quantize(CLI::App& app, Words& words) {
  QuantizeCommand& command = words.quantize;
  app.add_option("IN", command.in, "GGUF file of F32, F16, BF16 or Q8_0 weights")
      ->required()
      ->type_name("FILE");
  app.add_option("OUT", command.out, "The file to write; replaced when it is complete")
      ->required()
      ->type_name("FILE");
  app.add_option("TYPE", words.quantize_type, engine::file_type_names())->required()->type_name("");
  app.add_option("-t,--threads", command.n_threads, "Threads; the usable cores without it")
      ->check(CLI::Range(1, kMaxThreads))
      ->type_name("N");
}

Invocation finish_quantize(Words& words, const CLI::App&) {
  const engine::FileType* found = engine::find_file_type(words.quantize_type);
  if (found == nullptr)
    throw UsageError(fmt::format("'{}' is no type to quantize to; known: {}", words.quantize_type,
                                 engine::file_type_names()));
  words.quantize.type = *found;
  return std::move(words.quantize);
}

void add_cache(CLI::App& app, Words& words) {
  CacheOptions& options = words.cache;
  app.require_subcommand(0, 1);
  app.add_flag("--prefixes", options.prefixes, "The tree of cached prefixes");
  app.add_flag("--json", options.json, "All of it as JSON");
  const auto add = [&](CacheCommand command, const char* name, const char* help) {
    return app.add_subcommand(name, help)->callback([&options, command] {
      options.command = command;
    });
  };
  add(CacheCommand::clear, "clear", "Remove everything");
  add(CacheCommand::gc, "gc", "Remove what is of no use, and what is beyond the size budget");
  add(CacheCommand::verify, "verify", "Read everything and remove what is damaged");
}

Invocation finish_cache(Words& words, const CLI::App&) {
  const CacheOptions& options = words.cache;
  if (options.command != CacheCommand::list && (options.prefixes || options.json))
    throw UsageError("--prefixes and --json are of `confab cache` alone");
  return options;
}

CLI::App* add_debug_command(CLI::App& app, DebugOptions& options, DebugCommand command,
                            const char* name, const char* help) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->callback([&options, command] { options.command = command; });
  return sub;
}

void add_run_options(CLI::App& sub, DebugOptions& options) {
  add_model_options(sub, options.model);
  add_context_options(sub, options.model);
  sub.add_flag("--exact", options.model.exact, "Keep activations in f32");
  sub.add_option("--tokens", options.tokens_file, "JSON array of token ids; - is standard input")
      ->required()
      ->type_name("FILE");
}

void add_text_commands(CLI::App& app, DebugOptions& options) {
  CLI::App* sub = add_debug_command(app, options, DebugCommand::tokenize, "tokenize",
                                    "Text on stdin to a JSON array of token ids");
  add_model_options(*sub, options.model);
  sub->add_flag("--special", options.special, "The text of special tokens is one token");
  sub->add_flag("--bos", options.bos, "Add BOS and EOS where the model wants them");
  sub->add_flag("--jsonl", options.jsonl, "A JSON string or {\"hex\": \"...\"} a line");

  sub = add_debug_command(app, options, DebugCommand::detokenize, "detokenize",
                          "JSON array of token ids on stdin to bytes");
  add_model_options(*sub, options.model);
  sub->add_flag("--jsonl", options.jsonl, "An array a line; writes {\"hex\": \"...\"} a line");

  sub = add_debug_command(app, options, DebugCommand::render, "render",
                          "A request in JSON on stdin to the prompt that the template makes");
  add_model_options(*sub, options.model);
  sub->add_option("--template", options.template_file, "Jinja file, instead of a model's")
      ->type_name("FILE");
  sub->add_option("--bos", options.bos_token, "Text of bos_token, with --template");
  sub->add_option("--eos", options.eos_token, "Text of eos_token, with --template");
  sub->add_flag("--jsonl", options.jsonl, "A request a line; {\"text\"} or {\"error\"} a line");
}

void add_debug(CLI::App& app, Words& words) {
  DebugOptions& options = words.debug;
  app.require_subcommand(1);
  add_text_commands(app, options);
  CLI::App* sub = add_debug_command(app, options, DebugCommand::logits, "logits",
                                    "Logits of all positions, float32 [n_tokens, n_vocab]");
  add_run_options(*sub, options);
  sub->add_option("--out", options.out_file, "NumPy file to write")->required()->type_name("FILE");
  sub = add_debug_command(app, options, DebugCommand::greedy, "greedy",
                          "The next token ids of greedy decoding, as a JSON array");
  add_run_options(*sub, options);
  sub->add_option("-n,--predict", options.n_predict, "How many")->check(CLI::Range(1, 1 << 20));
  sub = add_debug_command(app, options, DebugCommand::info, "info",
                          "Metadata, tensors, and the memory that the model takes");
  add_model_options(*sub, options.model);
  add_context_options(*sub, options.model);
  sub = add_debug_command(app, options, DebugCommand::cache_stat, "cache-stat",
                          "Hits, misses and bytes of the prompt cache, as JSON");
  add_model_options(*sub, options.model);
  add_context_options(*sub, options.model);
  sub->add_option("--tokens", options.tokens_file, "JSON array of token ids to look up as well")
      ->type_name("FILE");
}

Invocation finish_debug(Words& words, const CLI::App&) {
  return std::move(words.debug);
}

// A command with a parser of its own.
struct Parser {
  std::string_view name;  // empty: the chat
  const char* about;
  void (*add_options)(CLI::App& app, Words& words);
  Invocation (*finish)(Words& words, const CLI::App& app);
};

constexpr std::array<Parser, 5> kParsers{{
    {"",
     "Chat in the terminal with a language model that runs on this machine.\n"
     "Conversations: confab list, search, export, import, rename, pin, unpin, delete\n"
     "Further commands: confab cache, bench, quantize, debug (each of all these has a --help)",
     add_chat, finish_chat},
    {"cache", "What the prompt cache has; it may be deleted at any time, which costs time only",
     add_cache, finish_cache},
    {"bench", "Measure prefill and decode beside the machine's own read bandwidth", add_bench,
     finish_bench},
    {"quantize", "Write a model file in fewer bits", add_quantize, finish_quantize},
    {"debug", "Look inside: every command reads and writes plain formats", add_debug, finish_debug},
}};

}  // namespace

Invocation parse_command_line(std::vector<std::string> words, const ChatOptions& defaults) {
  spell_out(words);
  const std::string command = words.empty() ? "" : words[0];
  if (is_conversation_command(command)) return parse_conversation_command(std::move(words));
  const auto* parser = std::ranges::find(kParsers, command, &Parser::name);
  if (parser == kParsers.end()) parser = kParsers.begin();
  if (!parser->name.empty()) words.erase(words.begin());
  Words said(defaults);
  CLI::App app(parser->about, parser->name.empty() ? "confab" : "confab " + command);
  parser->add_options(app, said);
  if (auto text = run_parser(app, std::move(words))) return *text;
  return parser->finish(said, app);
}

std::vector<CommandShape> command_line_shapes() {
  std::vector<CommandShape> shapes;
  for (const Parser& parser : kParsers) {
    Words words({});
    CLI::App app(parser.about);
    parser.add_options(app, words);
    append_shapes(app, std::string(parser.name), shapes);
    if (parser.name.empty()) append_conversation_shapes(shapes);
  }
  return shapes;
}

}  // namespace confab::app
