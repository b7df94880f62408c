// SPDX-License-Identifier: MIT
#include "app/cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/completion_script.h"
#include "app/cli/config.h"
#include "app/cli/manual.h"
#include "app/cli/option_flags.h"
#include "app/cli/parser.h"
#include "app/cli/question_options.h"
#include "app/cli/template_command.h"
#include "app/cli/tool_options.h"
#include "app/cli/version.h"
#include "app/cli/wrong_turns.h"
#include "app/error.h"
#include "app/option_table.h"
#include "app/options.h"

namespace confab::app {
namespace {

// Fills in the default of options whose value was left out.
void fill_in(std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const bool is_prompt = words[i] == "-p" || words[i] == "--prompt";
    if (!is_prompt && words[i] != "--man") continue;
    const bool has_value = i + 1 < words.size() && is_value(words[i + 1]);
    if (!has_value)
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, is_prompt ? "" : "confab");
    ++i;
  }
  fill_in_question(words);
}

// The parsed words of a command line. Each command has its own parser and fills its own members.
struct Words {
  explicit Words(const ChatOptions& defaults) : chat(defaults) {}

  // The model options, with what the sources of the values add.
  ModelOptions model() const {
    ModelOptions model = chat.model;
    model.named = is_from_flag("model");
    model.draft.wanted = is_from_flag("model_draft");
    return model;
  }
  bool is_from_flag(std::string_view key) const {
    return source_of(*find_option(key), chat).origin == Origin::command_line;
  }

  ChatOptions chat;  // for all commands: holds the options of app/option_table.h
  OnceWords once = {};
  std::string manual;      // manual page to print
  std::string shell;       // shell to print a completion script for
  std::string candidates;  // kind of completions to print
  ShapeWords shape = {};
  std::vector<std::string> topic = {};  // arguments of `help`
  EnginesQuery engines = {};
  DevicesQuery devices = {};
  BenchWords bench = {};
  FitWords fit = {};
  ModelsOptions models = {};
  PullOptions pull = {};
  RemoveOptions remove = {};
  DecisionWords decision = {};
  BatchOptions batch = {};
  QuantizeWords quantize = {};
  CacheOptions cache = {};
  DebugOptions debug = {};
  ConfigQuery config = {};
  std::optional<PromptTemplate> called = {};  // template whose name is used as the command
  std::string template_name = {};             // template to print; empty: list all
};

void add_printing_options(CLI::App& app, Words& words) {
  app.set_version_flag("--version", version_text(), "Show the version");
  add_choice(app, "--man", words.manual, {"confab", "config"},
             "Print the manual page (to read it: confab --man | man -l -), or that of config.toml");
  add_choice(app, "--completion", words.shell, {"bash", "zsh", "fish"},
             "Print a shell completion script");
  add_choice(app, "--candidates", words.candidates, {"model", "theme", "conversation", "template"},
             "Print completions of a kind")
      .group("");  // used by completion scripts, so hidden from help
}

std::vector<std::string> all_command_names();

std::vector<std::string_view> views_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

void add_chat(CLI::App& app, Words& words) {
  ChatOptions& options = words.chat;
  add_printing_options(app, words);
  app.add_option("-p,--prompt", options.prompt,
                 "Answer one question and exit; files and standard input are added to it. Without "
                 "TEXT, standard input is the question")
      ->type_name("TEXT");
  app.add_option("-f,--file", options.prompt_file, "As -p, with the question in FILE")
      ->type_name("FILE");
  app.add_option("FILE", options.files,
                 "Files to ask about, folders or patterns; - is standard input")
      ->type_name("");
  add_once_options(app, words.once, options);
  add_decision_options(app, words.decision);
  app.add_flag("-C,--continue", options.continue_last, "Reopen the last conversation");
  app.add_option("--resume", options.resume, "Reopen a conversation")->type_name("NAME|ID");
  using enum OptionGroup;
  add_options(app, options, {chat});
  app.option_defaults()->group("Shape of the answer");
  add_shape_options(app, words.shape);
  add_options(app, options, {model, context, cache, draft}, "Model");
  add_options(app, options, {sampling}, "Sampling");
  add_gpu_layers(app, options);
}

Invocation print_completion(const std::string& shell) {
  const std::vector<CommandShape> shapes = command_line_shapes();
  if (shell == "bash") return PrintAndExit{bash_completion(shapes)};
  return PrintAndExit{shell == "zsh" ? zsh_completion(shapes) : fish_completion(shapes)};
}

// -f is -p with the text in a file; "-" is standard input, as for -p without a text.
void take_prompt_file(ChatOptions& options) {
  if (options.prompt_file.empty()) return;
  if (options.prompt)
    throw UsageError("--prompt and --file cannot be used together: give one of them");
  options.prompt = "";
  if (options.prompt_file == "-") options.prompt_file.clear();
}

Invocation finish_chat(Words& words, const CLI::App& app) {
  ChatOptions& options = words.chat;
  if (!words.manual.empty())
    return PrintAndExit{words.manual == "config" ? config_man_page() : man_page(app)};
  if (!words.shell.empty()) return print_completion(words.shell);
  for (const ValueKind kind :
       {ValueKind::model, ValueKind::theme, ValueKind::conversation, ValueKind::own_template})
    if (words.candidates == name_of(kind)) return CandidatesQuery{kind};
  options.model = words.model();
  take_prompt_file(options);
  words.decision.json = words.once.json;
  finish_decision(words.decision, options);
  if (words.called) finish_template_command(*words.called, options);
  if (options.continue_last && options.resume)
    throw UsageError("--continue and --resume cannot be used together: give one of them");
  const bool names_stdin = std::ranges::find(options.files, "-") != options.files.end();
  if (names_stdin && !options.read_stdin)
    throw UsageError("--no-stdin and the file - cannot be used together: give one of them");
  if (!options.files.empty() && !options.prompt)
    throw UsageError(advice_about_words(options.files, views_of(all_command_names())));
  options.shape = shape_of(words.shape);
  finish_once_options(words.once, options);
  return std::move(options);
}

void add_bench(CLI::App& app, Words& words) {
  add_bench_options(app, words.bench, words.chat);
}

Invocation finish_bench(Words& words, const CLI::App&) {
  return finish_bench_options(words.bench, words.model());
}

void add_batch(CLI::App& app, Words& words) {
  using enum OptionGroup;
  BatchOptions& options = words.batch;
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
  app.add_option("--system", words.chat.system,
                 "System prompt of the requests that have none (also -sys)")
      ->type_name("TEXT");
  add_options(app, words.chat, {model, context, draft}, "Model");
  add_options(app, words.chat, {sampling}, "Sampling");
}

Invocation finish_batch(Words& words, const CLI::App&) {
  words.chat.model = words.model();
  words.batch.chat = std::move(words.chat);
  return std::move(words.batch);
}

void add_cache(CLI::App& app, Words& words) {
  CacheOptions& options = words.cache;
  app.require_subcommand(0, 1);
  add_options(app, words.chat, {OptionGroup::cache});
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
  CacheOptions& options = words.cache;
  options.max_bytes = words.chat.cache_max_bytes;
  if (options.command != CacheCommand::list && (options.prefixes || options.json))
    throw UsageError("--prefixes and --json work only without a cache command");
  return options;
}

void add_debug(CLI::App& app, Words& words) {
  add_debug_options(app, words.debug, words.chat);
}

Invocation finish_debug(Words& words, const CLI::App&) {
  words.debug.model = words.model();
  return std::move(words.debug);
}

void add_help(CLI::App& app, Words& words) {
  app.add_option("COMMAND", words.topic, "The command; without it, help for confab itself");
}

Invocation finish_help(Words& words, const CLI::App&) {
  const std::vector<std::string> names = all_command_names();
  if (words.topic.empty()) return parse_command_line({"--help"}, {});
  if (std::ranges::find(names, words.topic.front()) == names.end())
    throw UsageError(advice_about_words(words.topic, views_of(names)));
  words.topic.emplace_back("--help");
  return parse_command_line(std::move(words.topic), {});
}

void add_config(CLI::App& app, Words& words) {
  ConfigQuery& query = words.config;
  app.add_option("KEY", query.key, "The option; without it, all of them")->type_name("");
  app.add_flag("--json", query.json, "Print JSON");
  app.add_flag("--path", query.path, "Print where the configuration file is");
  using enum OptionGroup;
  add_options(app, words.chat, {chat, model, context, cache, draft, sampling});
}

Invocation finish_config(Words& words, const CLI::App&) {
  ConfigQuery& query = words.config;
  query.options = std::move(words.chat);
  if (query.key.empty() || find_option(query.key) != nullptr) return std::move(query);
  throw UsageError(unknown_key(query.key));
}

void add_templates(CLI::App& app, Words& words) {
  app.add_option("NAME", words.template_name, "The one to print; without it, a list of all");
}

Invocation finish_templates(Words& words, const CLI::App&) {
  return PrintAndExit{templates_text(words.template_name)};
}

// A command about saved conversations.
struct Subcommand {
  std::string_view name;
  ConversationAction action;
  const char* help;
};

constexpr std::array<Subcommand, 8> kSubcommands{{
    {"list", ConversationAction::list,
     "List the saved conversations: pinned ones first, then the most recent"},
    {"search", ConversationAction::search, "Search all conversations, newest first"},
    {"rename", ConversationAction::rename, "Rename a conversation"},
    {"pin", ConversationAction::pin, "Pin a conversation to the top of lists"},
    {"unpin", ConversationAction::unpin, "Unpin a conversation"},
    {"delete", ConversationAction::remove, "Delete a conversation permanently; asks first"},
    {"export", ConversationAction::write, "Export a conversation as Markdown, JSON or HTML"},
    {"import", ConversationAction::read,
     "Import conversations: confab's JSON, message lists, or ChatGPT's conversations.json"},
}};

const Subcommand* find_subcommand(std::string_view word) noexcept {
  const auto* it = std::ranges::find(kSubcommands, word, &Subcommand::name);
  return it == kSubcommands.end() ? nullptr : it;
}

void add_conversation_options(CLI::App& app, ConversationOptions& options,
                              std::vector<std::string>& words) {
  using enum ConversationAction;
  const ConversationAction action = options.action;
  if (action == list || action == search)
    add_count(app, "-n,--limit", options.limit, {1, 1000000}, "Show at most N conversations");
  if (action == search)
    app.add_option("WORDS", words, "Words that must all occur; \"words in quotes\" are a phrase")
        ->required();
  else if (action == read)
    app.add_option("FILE", words, "JSON files; - is standard input")->required();
  else if (action != list)
    app.add_option("ID|NAME", options.name, "Number, title, or beginning of the title")->required();
  if (action == rename) app.add_option("TITLE", words, "New title")->required();
  if (action == remove) app.add_flag("-y,--yes", options.yes, "Do not ask for confirmation");
  if (action != write) return;
  add_choice(app, "-f,--format", options.format, {"md", "json", "html"},
             "Format (default: from FILE's extension, else md)");
  app.add_option("-o,--output", options.output, "Write to FILE (default: standard output)")
      ->type_name("FILE");
  app.add_flag("--force", options.force, "Replace FILE if it exists");
}

bool is_conversation_command(std::string_view word) noexcept {
  return find_subcommand(word) != nullptr;
}

std::vector<std::string_view> conversation_command_names() {
  std::vector<std::string_view> names;
  for (const Subcommand& subcommand : kSubcommands) names.push_back(subcommand.name);
  return names;
}

void append_conversation_shapes(std::vector<CommandShape>& shapes) {
  for (const Subcommand& subcommand : kSubcommands) {
    ConversationOptions options{.action = subcommand.action};
    std::vector<std::string> rest;
    CLI::App app(subcommand.help);
    add_conversation_options(app, options, rest);
    append_shapes(app, std::string(subcommand.name), shapes);
  }
}

// words: the first is the command. Throws UsageError.
Invocation parse_conversation_command(std::vector<std::string> words) {
  const Subcommand& subcommand = *find_subcommand(words.at(0));
  words.erase(words.begin());
  ConversationOptions options{.action = subcommand.action};
  std::vector<std::string> rest;
  CLI::App app(subcommand.help, "confab " + std::string(subcommand.name));
  add_conversation_options(app, options, rest);
  if (auto text = run_parser(app, std::move(words))) return *text;
  if (options.action == ConversationAction::read) {
    options.files = std::move(rest);
  } else {
    for (const std::string& word : rest) options.text += (options.text.empty() ? "" : " ") + word;
  }
  return options;
}

// A command and its parser.
struct Parser {
  std::string_view name;  // empty: the chat
  const char* about;
  void (*add_options)(CLI::App& app, Words& words);
  Invocation (*finish)(Words& words, const CLI::App& app);
};

constexpr std::array<Parser, 15> kParsers{{
    {"",
     "Chat in the terminal with a language model that runs on this machine.\n\n"
     "Conversations: confab list, search, export, import, rename, pin, unpin, delete\n"
     "Questions that have a name: confab commit-message, explain, proofread, review,\n"
     "summarize, translate, and your own, which confab templates lists\n"
     "Files of requests: confab batch\n"
     "Other commands: confab config, models, pull, rm, engines, devices, fit, cache,\n"
     "bench, quantize, debug, help\n",
     add_chat, finish_chat},
    {"help", "Show the help of a command", add_help, finish_help},
    {"batch", "Answer a file of requests, several at a time; run again, it goes on", add_batch,
     finish_batch},
    {"config",
     "Show the value of each option, and where it is from: the flag, the variable or the "
     "file",
     add_config, finish_config},
    {"templates", "List the templates, which are commands, or print one as a file", add_templates,
     finish_templates},
    {"models", "List the models found on this machine, and which of them fit",
     [](CLI::App& app, Words& words) { add_models_options(app, words.models); },
     [](Words& words, const CLI::App&) -> Invocation {
       words.models.model = words.model();
       return std::move(words.models);
     }},
    {"pull", "Download a model from huggingface.co; run again, it goes on",
     [](CLI::App& app, Words& words) { add_pull_options(app, words.pull); },
     [](Words& words, const CLI::App&) -> Invocation { return finish_pull_options(words.pull); }},
    {"rm", "Remove a model that confab pulled from the disk; asks first",
     [](CLI::App& app, Words& words) { add_remove_options(app, words.remove); },
     [](Words& words, const CLI::App&) -> Invocation { return words.remove; }},
    {"engines", "List the engines named in config.toml, and those that run on this machine",
     [](CLI::App& app, Words& words) {
       app.add_flag("--check", words.engines.check, "Ask also those that config.toml names");
       app.add_flag("--json", words.engines.json, "Print JSON");
     },
     [](Words& words, const CLI::App&) -> Invocation {
       words.engines.engines = words.chat.model.engines;
       return std::move(words.engines);
     }},
    {"devices", "List the graphics processors, and the processor, that models can run on",
     [](CLI::App& app, Words& words) { app.add_flag("--json", words.devices.json, "Print JSON"); },
     [](Words& words, const CLI::App&) -> Invocation { return words.devices; }},
    {"cache", "Show what is in the prompt cache, which can be deleted at any time", add_cache,
     finish_cache},
    {"bench", "Measure prefill and decode speed against memory bandwidth", add_bench, finish_bench},
    {"fit", "Show whether a model fits into memory, and which ones would",
     [](CLI::App& app, Words& words) { add_fit_options(app, words.fit, words.chat); },
     [](Words& words, const CLI::App&) -> Invocation {
       return finish_fit_options(words.fit, words.model());
     }},
    {"quantize", "Make a model file smaller by using fewer bits",
     [](CLI::App& app, Words& words) { add_quantize_options(app, words.quantize); },
     [](Words& words, const CLI::App&) -> Invocation {
       return finish_quantize_options(words.quantize);
     }},
    {"debug", "Look inside a model: tokens, prompts, logits, metadata", add_debug, finish_debug},
}};

// Includes the templates.
std::vector<std::string> all_command_names() {
  std::vector<std::string> names = template_command_names();
  for (const std::string_view name : conversation_command_names()) names.emplace_back(name);
  for (const Parser& parser : kParsers)
    if (!parser.name.empty()) names.emplace_back(parser.name);
  return names;
}

}  // namespace

Invocation parse_command_line(std::vector<std::string> words, const ChatOptions& defaults) {
  const std::string command = words.empty() ? "" : words[0];
  if (is_conversation_command(command)) return parse_conversation_command(std::move(words));
  const auto* parser = std::ranges::find(kParsers, command, &Parser::name);
  Words said(defaults);
  if (parser == kParsers.end()) {
    parser = kParsers.begin();
    said.called = called_template(command);
  }
  if (!parser->name.empty() || said.called) words.erase(words.begin());
  if (parser->name.empty()) {
    fill_in(words);
    fill_in_language(words);
  }
  const bool has_name = !parser->name.empty() || said.called;
  CLI::App app(said.called ? about_template(*said.called) : parser->about,
               has_name ? "confab " + command : "confab");
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
    if (!parser.name.empty()) continue;
    append_conversation_shapes(shapes);
    append_template_shapes(shapes.front(), shapes);
  }
  return shapes;
}

}  // namespace confab::app
