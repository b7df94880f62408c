// SPDX-License-Identifier: MIT
#include "app/commands/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace confab::app {
namespace {

void run_help(CommandContext& context, const std::string& about) {
  if (about == "keys") return context.console.show_text("Keys", context.console.keys());
  show_commands(context);
}

void run_exit(CommandContext& context, const std::string&) {
  leave_chat(context);
}

constexpr auto kCommands = std::to_array<Command>({
    {"/help", "/? /manual", "[keys]", "list all commands and keys", true, run_help},
});

constexpr auto kLast = std::to_array<Command>({
    {"/exit", "/quit /bye", "", "leave, like Ctrl+D", true, run_exit},
});

std::string line_of(const Command& command) {
  const std::string_view space = command.arguments.empty() ? "" : " ";
  std::string line = fmt::format(
      "  {:<28}  {}", fmt::format("{}{}{}", command.name, space, command.arguments), command.help);
  std::vector<std::string_view> names = all_names(command);
  names.erase(names.begin());
  if (!names.empty()) line += fmt::format(" (also {})", fmt::join(names, ", "));
  return line;
}

}  // namespace

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

std::span<const Command> help_commands() noexcept {
  return kCommands;
}

std::span<const Command> last_commands() noexcept {
  return kLast;
}

}  // namespace confab::app
