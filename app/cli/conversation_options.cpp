// SPDX-License-Identifier: MIT
#include "app/cli/conversation_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "app/cli/parser.h"

namespace confab::app {
namespace {

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

void add_options(CLI::App& app, ConversationOptions& options, std::vector<std::string>& words) {
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

}  // namespace

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
    add_options(app, options, rest);
    append_shapes(app, std::string(subcommand.name), shapes);
  }
}

Invocation parse_conversation_command(std::vector<std::string> words) {
  const Subcommand& subcommand = *find_subcommand(words.at(0));
  words.erase(words.begin());
  ConversationOptions options{.action = subcommand.action};
  std::vector<std::string> rest;
  CLI::App app(subcommand.help, "confab " + std::string(subcommand.name));
  add_options(app, options, rest);
  if (auto text = run_parser(app, std::move(words))) return *text;
  if (options.action == ConversationAction::read) {
    options.files = std::move(rest);
  } else {
    for (const std::string& word : rest) options.text += (options.text.empty() ? "" : " ") + word;
  }
  return options;
}

}  // namespace confab::app
