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
    {"list", ConversationAction::list, "The saved conversations, pinned and last used first"},
    {"search", ConversationAction::search, "Look for words in all conversations, newest first"},
    {"rename", ConversationAction::rename, "Give a conversation a name"},
    {"pin", ConversationAction::pin, "Keep a conversation first in lists"},
    {"unpin", ConversationAction::unpin, "No longer keep it first"},
    {"delete", ConversationAction::remove, "Delete a conversation for good; asks first"},
    {"export", ConversationAction::write, "Write a conversation as Markdown, JSON or HTML"},
    {"import", ConversationAction::read,
     "Add conversations from files: confab's JSON, message lists, ChatGPT's conversations.json"},
}};

const Subcommand* find_subcommand(std::string_view word) noexcept {
  const auto* it = std::ranges::find(kSubcommands, word, &Subcommand::name);
  return it == kSubcommands.end() ? nullptr : it;
}

void add_options(CLI::App& app, ConversationOptions& options, std::vector<std::string>& words) {
  using enum ConversationAction;
  const ConversationAction action = options.action;
  if (action == list || action == search)
    app.add_option("-n,--limit", options.limit, "At most so many")->check(CLI::Range(1, 1000000));
  if (action == search)
    app.add_option("WORDS", words, "All must be there; \"in quotes\": one after the other")
        ->required();
  else if (action == read)
    app.add_option("FILE", words, "JSON files; - is standard input")->required();
  else if (action != list)
    app.add_option("ID|NAME", options.name, "Its number, or its title or the beginning of it")
        ->required();
  if (action == rename) app.add_option("TITLE", words, "What it is called then")->required();
  if (action == remove) app.add_flag("-y,--yes", options.yes, "Do not ask");
  if (action != write) return;
  app.add_option("-f,--format", options.format,
                 "md, json or html; as FILE is called, or md, without it")
      ->check(CLI::IsMember({"md", "json", "html"}));
  app.add_option("-o,--output", options.output, "Standard output without it")->type_name("FILE");
  app.add_flag("--force", options.force, "Replace FILE if it exists");
}

}  // namespace

bool is_conversation_command(std::string_view word) noexcept {
  return find_subcommand(word) != nullptr;
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
