// SPDX-License-Identifier: MIT
#include "app/commands/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <utility>

#include "app/chat/backend.h"
#include "app/chat/context_advice.h"
#include "app/commands/attach_files.h"
#include "app/commands/branches.h"
#include "app/commands/context.h"
#include "app/commands/export.h"
#include "app/commands/model.h"
#include "app/commands/resume.h"
#include "app/commands/retry.h"
#include "app/commands/route.h"
#include "app/commands/settings.h"
#include "app/nearest.h"
#include "ui/words.h"

namespace confab::app {
namespace {

std::string line_of(const Command& command) {
  const std::string_view space = command.arguments.empty() ? "" : " ";
  std::string line = fmt::format(
      "  {:<28}  {}", fmt::format("{}{}{}", command.name, space, command.arguments), command.help);
  std::vector<std::string_view> names = all_names(command);
  names.erase(names.begin());
  if (!names.empty()) line += fmt::format(" (also {})", fmt::join(names, ", "));
  return line;
}

// Shows the commands under their headings, then the keys.
void show_commands(CommandContext& context) {
  std::string text;
  for (const CommandGroup& group : command_groups()) {
    text += fmt::format("{}{}:\n", text.empty() ? "" : "\n", group.title);
    for (const Command& command : group.commands) text += line_of(command) + '\n';
  }
  if (!context.routing.commands.empty()) text += "\nTemplates:\n";
  for (const Command& command : context.routing.commands) text += line_of(command) + '\n';
  context.console.show_text("Help", text + '\n' + context.console.keys());
}

void run_help(CommandContext& context, const std::string& about) {
  if (about == "keys") return context.console.show_text("Keys", context.console.keys());
  show_commands(context);
}

void run_exit(CommandContext& context, const std::string&) {
  leave_chat(context);
}

constexpr auto kHelp = std::to_array<Command>({
    {"/help", "/? /manual", "[keys]", "list all commands and keys", true, run_help},
});

constexpr auto kLast = std::to_array<Command>({
    {"/exit", "/quit /bye", "", "leave, like Ctrl+D", true, run_exit},
});

std::string suggestion(const CommandContext& context, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& command : context.routing.commands) names.push_back(command.name);
  for (const Command& command : commands())
    for (const std::string_view known : all_names(command)) names.push_back(known);
  const auto near = nearest(name, names);
  return near ? fmt::format("; did you mean {}?", *near) : "";
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
    add("Help", {kHelp});
    add("Conversations", {resume_commands()});
    add("Questions and answers", {retry_commands(), compact_commands(), context_commands()});
    add("Branches", {branches_commands()});
    add("Copies and files", {copy_commands(), attach_commands(), export_commands()});
    add("Model and settings",
        {model_commands(), settings_commands(), route_commands(), theme_commands()});
    add("Leaving", {kLast});
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
  // The text names the remaining files, so they will be read again.
  const std::size_t n = std::min(context.n_sent_along, question.attachments.size());
  const std::span files = std::span(question.attachments).first(n);
  context.attached.insert(context.attached.begin(), files.begin(), files.end());
  context.console.take_back(question.text);
  context.console.error(too_long_text(outcome.fault, context.chat.model_info()) +
                        (files.empty() ? "" : "; /detach removes what is attached"));
}

void leave_chat(CommandContext& context) {
  constexpr std::chrono::seconds kPatience{2};  // for the last attempt
  if (context.store != nullptr) context.store->set_patience(kPatience);
  context.chat.save_rest();
  if (!context.chat.has_unsaved()) return context.console.quit();
  context.console.confirm(
      "Leave and lose unsaved text?", [&context] { context.console.quit(); },
      "free some disk space, or save it with /export");
}

std::string BareExit::advice(const Chat& chat, const std::string& text) {
  if (text != "exit" && text != "quit") return "";
  if (!chat.messages().empty() || std::exchange(told_, text) == text) return "";
  return fmt::format("{} Send \"{}\" again to ask the model.", kToLeave, text);
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
      // the conversation may be another one
      if (!command->while_generating) context.chat.prepare("");
    });
  if (is_template_call(context, text)) return run_template(context, text);
  const std::string near = suggestion(context, name);
  context.console.error(
      fmt::format("no command {}{} /help lists the commands", name, near.empty() ? ";" : near));
}

}  // namespace confab::app
