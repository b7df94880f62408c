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
#include "app/cli/model_options.h"
#include "app/cli/parser.h"
#include "app/cli/version.h"
#include "app/cli/wrong_turns.h"
#include "app/error.h"
#include "app/parameters.h"
#include "engine/gguf/file_type.h"

namespace confab::app {
namespace {

void spell_out(std::vector<std::string>& words) {
  for (std::string& word : words) {
    if (word == "--") return;
    const std::size_t end = std::min(word.find('='), word.size());
    for (const auto& [given, spelling] : kLongSpelling)
      if (std::string_view(word).substr(0, end) == given) word.replace(0, end, spelling);
  }
}

// What an option means whose value is left out.
void fill_in(std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const bool is_prompt = words[i] == "-p" || words[i] == "--prompt";
    if (!is_prompt && words[i] != "--man") continue;
    const bool has_value =
        i + 1 < words.size() && (words[i + 1].size() < 2 || words[i + 1][0] != '-');
    if (!has_value)
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, is_prompt ? "" : "confab");
    ++i;
  }
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
  std::string manual;                   // the page to print
  std::string shell;                    // to print the completion for
  std::string candidates;               // to print of this kind
  std::vector<std::string> topic = {};  // of help
  BenchOptions bench = {};
  std::string bench_format = "md";
  QuantizeCommand quantize = {};
  std::string quantize_type;
  CacheOptions cache = {};
  DebugOptions debug = {};
};

void add_printing_options(CLI::App& app, Words& words) {
  app.set_version_flag("--version", version_text(), "Show the version");
  add_choice(app, "--man", words.manual, {"confab", "config"},
             "Print the manual page (to read it: confab --man | man -l -), or that of config.toml");
  add_choice(app, "--completion", words.shell, {"bash", "zsh", "fish"},
             "Print a shell completion script");
  add_choice(app, "--candidates", words.candidates, {"model", "theme", "conversation"},
             "Print completions of a kind")
      .group("");  // for those scripts, so help does not have it
}

std::vector<std::string_view> command_names();

void add_chat(CLI::App& app, Words& words) {
  ChatOptions& options = words.chat;
  add_printing_options(app, words);
  app.add_option("-p,--prompt", options.prompt,
                 "Answer one question and exit; files and standard input are added to it. Without "
                 "TEXT, standard input is the question")
      ->type_name("TEXT");
  app.add_option("FILE", options.files, "Files to ask about; - is standard input")->type_name("");
  app.add_flag_callback(
      "--no-stdin", [&options] { options.read_stdin = false; },
      "With -p: do not read standard input (for use in loops that read it)");
  add_count(app, "--n", options.n_answers, {1, kMaxAnswers},
            "With -p: write N answers, each below a line \"=== answer 1 of N ===\"");
  app.add_flag("--stats", options.stats, "With -p: print statistics as JSON on standard error");
  app.add_flag("-C,--continue", options.continue_last, "Reopen the last conversation");
  app.add_option("--resume", options.resume, "Reopen a conversation")->type_name("NAME|ID");
  app.add_flag("--plain", options.plain,
               "Print to the scrollback instead of using the full screen");
  app.add_flag("--mouse", options.mouse,
               "Scroll with the mouse wheel, choose with a click (to select text, hold Shift)");
  app.add_flag_callback(
      "--incognito", [&options] { options.save = false; },
      "Write nothing to disk: no conversation, no cache, no history");
  app.add_option("--system", options.system, "System prompt (also -sys)")->type_name("TEXT");
  app.add_option("--theme", options.theme, "Name of a theme, or a TOML file")->type_name("THEME");
  app.option_defaults()->group("Model");
  add_model_options(app, options.model);
  add_context_options(app, options.model);
  add_draft_options(app, options.model);
  app.option_defaults()->group("Sampling");
  add_parameters(app, options);
}

Invocation print_completion(const std::string& shell) {
  const std::vector<CommandShape> shapes = command_line_shapes();
  if (shell == "bash") return PrintAndExit{bash_completion(shapes)};
  return PrintAndExit{shell == "zsh" ? zsh_completion(shapes) : fish_completion(shapes)};
}

Invocation finish_chat(Words& words, const CLI::App& app) {
  ChatOptions& options = words.chat;
  if (!words.manual.empty())
    return PrintAndExit{words.manual == "config" ? config_man_page() : man_page(app)};
  if (!words.shell.empty()) return print_completion(words.shell);
  for (const ValueKind kind : {ValueKind::model, ValueKind::theme, ValueKind::conversation})
    if (words.candidates == name_of(kind)) return CandidatesQuery{kind};
  if (options.continue_last && options.resume)
    throw UsageError("--continue and --resume cannot be used together: give one of them");
  const bool names_stdin = std::ranges::find(options.files, "-") != options.files.end();
  if (names_stdin && !options.read_stdin)
    throw UsageError("--no-stdin and the file - cannot be used together: give one of them");
  if (options.n_answers > 1 && !options.prompt)
    throw UsageError("--n works only with -p; in the chat, /retry N writes N answers");
  if (!options.files.empty() && !options.prompt)
    throw UsageError(advice_about_words(options.files, command_names()));
  return std::move(options);
}

void add_bench(CLI::App& app, Words& words) {
  BenchOptions& options = words.bench;
  add_model_options(app, options.model);
  add_context_options(app, options.model);
  add_draft_options(app, options.model);
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
  add_count(app, "-r,--repetitions", options.repetitions, {1, 1000}, "Runs of each test");
  add_choice(app, "-o,--output", words.bench_format, {"json", "md"}, "Format of the table");
  app.add_flag("-v,--verbose", options.verbose, "Also print the number of barriers per layer");
}

Invocation finish_bench(Words& words, const CLI::App&) {
  words.bench.json = words.bench_format == "json";
  return std::move(words.bench);
}

void add_quantize(CLI::App& app, Words& words) {
  QuantizeCommand& command = words.quantize;
  app.add_option("IN", command.in, "GGUF file with F32, F16, BF16 or Q8_0 weights")
      ->required()
      ->type_name("FILE");
  app.add_option("OUT", command.out, "File to write; replaced only once it is complete")
      ->required()
      ->type_name("FILE");
  app.add_option("TYPE", words.quantize_type, engine::file_type_names())->required()->type_name("");
  add_count(app, "-t,--threads", command.n_threads, {1, kMaxThreads},
            "Number of threads (default: all cores)");
}

Invocation finish_quantize(Words& words, const CLI::App&) {
  const engine::FileType* found = engine::find_file_type(words.quantize_type);
  if (found == nullptr)
    throw UsageError(fmt::format("TYPE must be one of {}, not {}", engine::file_type_names(),
                                 words.quantize_type));
  words.quantize.type = *found;
  return std::move(words.quantize);
}

void add_cache(CLI::App& app, Words& words) {
  CacheOptions& options = words.cache;
  app.require_subcommand(0, 1);
  app.add_flag("--prefixes", options.prefixes, "Show the tree of cached prefixes");
  app.add_flag("--json", options.json, "Print JSON");
  const auto add = [&](CacheCommand command, const char* name, const char* help) {
    return app.add_subcommand(name, help)->callback([&options, command] {
      options.command = command;
    });
  };
  add(CacheCommand::clear, "clear", "Remove everything");
  add(CacheCommand::gc, "gc", "Remove what is no longer needed or over the size limit");
  add(CacheCommand::verify, "verify", "Check everything and remove what is damaged");
}

Invocation finish_cache(Words& words, const CLI::App&) {
  const CacheOptions& options = words.cache;
  if (options.command != CacheCommand::list && (options.prefixes || options.json))
    throw UsageError("--prefixes and --json work only without a cache command");
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
                                    "Turn text on stdin into a JSON array of token ids");
  add_model_options(*sub, options.model);
  sub->add_flag("--special", options.special, "Read the text of special tokens as those tokens");
  sub->add_flag("--bos", options.bos, "Add BOS and EOS where the model wants them");
  sub->add_flag("--jsonl", options.jsonl, "Read a JSON string or {\"hex\": \"...\"} per line");

  sub = add_debug_command(app, options, DebugCommand::detokenize, "detokenize",
                          "Turn a JSON array of token ids on stdin into bytes");
  add_model_options(*sub, options.model);
  sub->add_flag("--jsonl", options.jsonl,
                "Read an array per line; write {\"hex\": \"...\"} per line");

  sub = add_debug_command(app, options, DebugCommand::render, "render",
                          "Turn a JSON request on stdin into a prompt, with the chat template");
  add_model_options(*sub, options.model);
  sub->add_option("--template", options.template_file,
                  "Jinja file to use instead of the model's template")
      ->type_name("FILE");
  sub->add_option("--bos", options.bos_token, "With --template: text of bos_token");
  sub->add_option("--eos", options.eos_token, "With --template: text of eos_token");
  sub->add_flag("--jsonl", options.jsonl,
                "Read a request per line; write {\"text\"} or {\"error\"} per line");
}

void add_debug(CLI::App& app, Words& words) {
  DebugOptions& options = words.debug;
  app.require_subcommand(1);
  add_text_commands(app, options);
  CLI::App* sub =
      add_debug_command(app, options, DebugCommand::logits, "logits",
                        "Write the logits of all positions, float32 [n_tokens, n_vocab]");
  add_run_options(*sub, options);
  sub->add_option("--out", options.out_file, "NumPy file to write")->required()->type_name("FILE");
  sub = add_debug_command(app, options, DebugCommand::greedy, "greedy",
                          "Print the next token ids of greedy decoding as a JSON array");
  add_run_options(*sub, options);
  add_count(*sub, "-n,--predict", options.n_predict, {1, 1 << 20}, "Number of tokens");
  sub = add_debug_command(app, options, DebugCommand::info, "info",
                          "Show metadata, tensors, and the memory the model needs");
  add_model_options(*sub, options.model);
  add_context_options(*sub, options.model);
  sub = add_debug_command(app, options, DebugCommand::cache_stat, "cache-stat",
                          "Print hits, misses and bytes of the prompt cache as JSON");
  add_model_options(*sub, options.model);
  add_context_options(*sub, options.model);
  sub->add_option("--tokens", options.tokens_file, "JSON array of token ids to look up")
      ->type_name("FILE");
}

Invocation finish_debug(Words& words, const CLI::App&) {
  return std::move(words.debug);
}

void add_help(CLI::App& app, Words& words) {
  app.add_option("COMMAND", words.topic, "The command; without it, help for confab itself");
}

Invocation finish_help(Words& words, const CLI::App&) {
  const std::vector<std::string_view> names = command_names();
  if (words.topic.empty()) return parse_command_line({"--help"}, {});
  if (std::ranges::find(names, words.topic.front()) == names.end())
    throw UsageError(advice_about_words(words.topic, names));
  words.topic.emplace_back("--help");
  return parse_command_line(std::move(words.topic), {});
}

void add_models(CLI::App&, Words&) {}

Invocation finish_models(Words& words, const CLI::App&) {
  return ModelsQuery{std::move(words.chat.model)};
}

// A command with a parser of its own.
struct Parser {
  std::string_view name;  // empty: the chat
  const char* about;
  void (*add_options)(CLI::App& app, Words& words);
  Invocation (*finish)(Words& words, const CLI::App& app);
};

constexpr std::array<Parser, 7> kParsers{{
    {"",
     "Chat in the terminal with a language model that runs on this machine.\n\n"
     "Conversations: confab list, search, export, import, rename, pin, unpin, delete\n"
     "Other commands: confab models, cache, bench, quantize, debug, help [COMMAND]\n",
     add_chat, finish_chat},
    {"help", "Show the help of a command", add_help, finish_help},
    {"models", "List the models found on this machine", add_models, finish_models},
    {"cache", "Show what is in the prompt cache, which can be deleted at any time", add_cache,
     finish_cache},
    {"bench", "Measure prefill and decode speed against memory bandwidth", add_bench, finish_bench},
    {"quantize", "Make a model file smaller by using fewer bits", add_quantize, finish_quantize},
    {"debug", "Look inside a model: tokens, prompts, logits, metadata", add_debug, finish_debug},
}};

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names = conversation_command_names();
  for (const Parser& parser : kParsers)
    if (!parser.name.empty()) names.push_back(parser.name);
  return names;
}

}  // namespace

Invocation parse_command_line(std::vector<std::string> words, const ChatOptions& defaults) {
  spell_out(words);
  const std::string command = words.empty() ? "" : words[0];
  if (is_conversation_command(command)) return parse_conversation_command(std::move(words));
  const auto* parser = std::ranges::find(kParsers, command, &Parser::name);
  if (parser == kParsers.end()) parser = kParsers.begin();
  if (parser->name.empty())
    fill_in(words);
  else
    words.erase(words.begin());
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
