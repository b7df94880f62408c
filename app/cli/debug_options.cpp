// SPDX-License-Identifier: MIT
#include "app/cli/debug_options.h"

#include <CLI/CLI.hpp>

#include "app/cli/option_flags.h"
#include "app/cli/parser.h"

namespace confab::app {
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
