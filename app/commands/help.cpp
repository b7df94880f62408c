// SPDX-License-Identifier: MIT
#include "app/commands/help.h"

#include <fmt/format.h>

#include <array>

#include "app/commands/keys_help.h"

namespace confab::app {
namespace {

void run_help(CommandContext& context, const std::string& about) {
  if (about == "keys") return context.console.notice(keys_help());
  show_commands(context);
}

void run_manual(CommandContext& context, const std::string&) {
  show_commands(context);
  context.console.notice(keys_help());
}

void run_exit(CommandContext& context, const std::string&) {
  leave_chat(context);
}

constexpr auto kCommands = std::to_array<Command>({
    {"/help", "/?", "[keys]", "what can be typed here, or which keys there are", true, run_help},
});

constexpr auto kLast = std::to_array<Command>({
    {"/manual", "", "", "all commands and keys", true, run_manual},
    {"/exit", "/quit /bye", "", "leave (also Ctrl+D)", true, run_exit},
});

}  // namespace

void show_commands(CommandContext& context) {
  std::string text;
  for (const Command& command : commands()) {
    const std::string_view space = command.arguments.empty() ? "" : " ";
    text +=
        fmt::format("{:<34}  {}\n", fmt::format("{}{}{}", command.name, space, command.arguments),
                    command.help);
  }
  context.console.notice(text +
                         "/ alone lists these; /help keys shows the keys; /manual all there is.");
}

std::span<const Command> help_commands() noexcept {
  return kCommands;
}

std::span<const Command> last_commands() noexcept {
  return kLast;
}

}  // namespace confab::app
