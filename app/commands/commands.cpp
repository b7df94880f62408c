// SPDX-License-Identifier: MIT
#include "app/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "app/chat/backend.h"
#include "app/chat/context_advice.h"
#include "app/commands/attach_files.h"
#include "app/commands/branches.h"
#include "app/commands/compact.h"
#include "app/commands/context.h"
#include "app/commands/copy.h"
#include "app/commands/export.h"
#include "app/commands/help.h"
#include "app/commands/model.h"
#include "app/commands/path_completion.h"
#include "app/commands/resume.h"
#include "app/commands/retry.h"
#include "app/commands/route.h"
#include "app/commands/settings.h"
#include "app/commands/theme.h"
#include "app/error.h"
#include "app/models/model_finder.h"
#include "app/nearest.h"
#include "app/read_beside.h"
#include "app/themes.h"
#include "app/transfer/lists.h"
#include "engine/error.h"
#include "sessions/error.h"
#include "ui/error.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using enum Completion;

std::string suggestion(const CommandContext& context, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& command : context.routing.commands) names.push_back(command.name);
  for (const Command& command : commands())
    for (const std::string_view known : all_names(command)) names.push_back(known);
  const auto near = nearest(name, names);
  return near ? fmt::format("; did you mean {}?", *near) : "";
}

// What is known to stand behind a command: all of it.
std::vector<std::string> known_arguments(CommandContext& context, Completion completion) {
  if (completion == conversations && context.store != nullptr)
    return names_of(context.store->list());
  if (completion == themes && context.paths != nullptr) return theme_names(*context.paths);
  if (completion == settings) return setting_names();
  if (completion == routes) return route_names(context.routing.router.templates());
  if (completion == parts) return {"info", "system", "template", "parameters", "context", "prompt"};
  std::vector<std::string> values;
  if (completion == models)
    for (FoundModel& model : find_models(context.chat.model_info().path))
      values.push_back(std::move(model.name));
  return values;
}

bool takes_path(Completion completion) {
  return completion == files || completion == models || completion == themes;
}

// Returns what complete_path() finds, or nothing if the person cancels the wait.
std::vector<ui::Candidate> paths_like(CommandContext& context, const std::string& word) {
  try {
    return read_beside([word] { return complete_path(word); },
                       context.console.watch_reading(ui::one_line(word)));
  } catch (const ReadingStopped&) {
    return {};
  }
}

// Files whose paths begin as this does, blanks and all.
std::vector<ui::Candidate> paths_from(CommandContext& context, std::string_view begun) {
  std::vector<ui::Candidate> found = paths_like(context, "@\"" + std::string(begun));
  for (ui::Candidate& file : found) {
    file.text.erase(0, 2);
    if (file.text.ends_with('"')) file.text.pop_back();
  }
  return found;
}

// The words that the help of a command's arguments names: "on" and "off" of "[on|off|N]".
std::vector<std::string> words_of(std::string_view arguments) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(arguments) + ' ') {
    const bool lower = c >= 'a' && c <= 'z';
    if (lower)
      word += c;
    else if (!word.empty())
      words.push_back(std::exchange(word, {}));
  }
  return words;
}

// What the word may become: the argument begins with what stands before it, and both can be the
// beginning of one name that has blanks.
void complete_argument(CommandContext& context, const Command& command, std::string_view before,
                       std::string_view word, std::vector<ui::Candidate>& candidates) {
  before.remove_prefix(std::min(before.find_first_not_of(" \t"), before.size()));
  const std::string begun = std::string(before) + std::string(word);
  const auto add = [&](std::string text, std::string description) {
    if (text.starts_with(begun))
      candidates.push_back({text.substr(before.size()), std::move(description)});
  };
  for (std::string& value : words_of(command.arguments)) add(std::move(value), "");
  for (std::string& value : known_arguments(context, command.completion)) add(std::move(value), "");
  if (!takes_path(command.completion)) return;
  for (ui::Candidate& file : paths_from(context, begun))
    add(std::move(file.text), std::move(file.description));
  if (before.empty() || !candidates.empty()) return;
  for (ui::Candidate& file : paths_from(context, word)) candidates.push_back(std::move(file));
}

}  // namespace

std::span<const CommandGroup> command_groups() {
  static const std::vector<CommandGroup> all = [] {
    std::vector<CommandGroup> groups;
    const auto add = [&groups](std::string_view title,
                               std::initializer_list<std::span<const Command>> families) {
      groups.push_back({title, {}});
      std::vector<Command>& joined = groups.back().commands;
      for (const auto& family : families) joined.insert(joined.end(), family.begin(), family.end());
    };
    add("Help", {help_commands()});
    add("Conversations", {resume_commands()});
    add("Questions and answers", {retry_commands(), compact_commands(), context_commands()});
    add("Branches", {branches_commands()});
    add("Copies and files", {copy_commands(), attach_commands(), export_commands()});
    add("Model and settings",
        {model_commands(), settings_commands(), route_commands(), theme_commands()});
    add("Leaving", {last_commands()});
    return groups;
  }();
  return all;
}

std::span<const Command> commands() {
  static const std::vector<Command> all = [] {
    std::vector<Command> joined;
    for (const CommandGroup& group : command_groups())
      joined.insert(joined.end(), group.commands.begin(), group.commands.end());
    return joined;
  }();
  return all;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands())
    for (const std::string_view known : all_names(command))
      if (known == name) return &command;
  return nullptr;
}

void end_aside(CommandContext& context, const AnswerOutcome& outcome) {
  if (outcome.summary) tell_summary(context, *outcome.summary);
  if (outcome.summarised || !outcome.too_long) return;
  const Question question = outcome.refused.value_or("");
  // The text names the others, and will again.
  const std::size_t n = std::min(context.n_sent_along, question.attachments.size());
  const std::span files = std::span(question.attachments).first(n);
  context.attached.insert(context.attached.begin(), files.begin(), files.end());
  context.console.take_back(question.text);
  context.console.error(too_long_text(outcome.fault, context.chat.model_info()) +
                        (files.empty() ? "" : "; /detach removes what is attached"));
}

void leave_chat(CommandContext& context) {
  constexpr std::chrono::seconds kPatience{2};  // a last time
  if (context.store != nullptr) context.store->set_patience(kPatience);
  context.chat.save_rest();
  if (!context.chat.has_unsaved()) return context.console.quit();
  context.console.confirm(
      "Leave and lose unsaved text?", [&context] { context.console.quit(); },
      "free some disk space, or save it with /export");
}

bool is_command(std::string_view text) noexcept {
  if (text == "/") return true;
  if (text.size() < 2 || text[0] != '/') return false;
  const std::string_view word = text.substr(1, text.find_first_of(" \t\n") - 1);
  const bool one_line = text.find('\n') == std::string_view::npos || word == "edit";
  return one_line && !word.empty() && word.find('/') == std::string_view::npos;
}

bool must_wait(std::string_view text) noexcept {
  const Command* command = find_command(text.substr(0, text.find_first_of(" \t\n")));
  return command != nullptr && !command->while_generating;
}

void run_command(CommandContext& context, const std::string& text) {
  if (text == "/") return show_commands(context);
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  const std::string name = text.substr(0, end);
  if (const Command* command = find_command(name))
    return attempt(context, [&] {
      if (!command->while_generating) require_idle(context, name);
      command->run(context, std::string(ui::trimmed(std::string_view(text).substr(end), " \t\n")));
      if (!command->while_generating) context.chat.prepare("");  // it may be another conversation
    });
  if (is_template_call(context, text)) return run_template(context, text);
  const std::string near = suggestion(context, name);
  context.console.error(
      fmt::format("no command {}{} /help lists the commands", name, near.empty() ? ";" : near));
}

std::vector<ui::Candidate> complete(CommandContext& context, std::string_view before,
                                    std::string_view word) {
  if (word.starts_with('@')) return paths_like(context, std::string(word));
  std::vector<ui::Candidate> candidates;
  const auto add = [&](std::string_view text, std::string_view description) {
    if (text.substr(0, word.size()) == word)
      candidates.push_back({std::string(text), std::string(description)});
  };
  if (before.empty()) {
    if (word.empty() || word[0] != '/') return {};
    for (const Command& command : commands()) add(command.name, command.help);
    for (const Command& command : context.routing.commands) add(command.name, command.help);
    return candidates;
  }
  const std::string_view name = before.substr(0, before.find(' '));
  if (const Command* command = find_command(name))
    complete_argument(context, *command, before.substr(name.size()), word, candidates);
  return candidates;
}

}  // namespace confab::app
