// SPDX-License-Identifier: MIT
#include "app/commands/compact.h"

#include <fmt/format.h>

#include <array>

#include "app/chat/context_report.h"
#include "app/commands/arguments.h"
#include "app/error.h"

namespace confab::app {
namespace {

// Asks the model for a summary, beside the conversation; a new one goes on from it.
void run_compact(CommandContext& context, const std::string&) {
  context.chat.summarise();
  context.console.notice("Summarising the conversation; Ctrl+C cancels and leaves it as it is.");
}

void run_forget(CommandContext& context, const std::string& n) {
  if (context.chat.messages().empty()) throw UserError("the conversation is still empty");
  const bool goes_on = context.chat.memory().begin > 0;
  context.chat.forget(count_of(n, 1, "/forget [N]"));
  context.console.show_conversation();
  if (goes_on) return context.console.notice(memory_notice(context.chat));
  context.console.notice(
      "The model no longer sees what came before. The full conversation is on another branch: "
      "/branches.");
}

constexpr auto kCommands = std::to_array<Command>({
    {"/compact", "/compress", "", "start a new conversation from a summary of this one", false,
     run_compact, Completion::nothing, WhenChosen::is_written},
    {"/forget", "", "[N]", "make the model forget the first N questions", false, run_forget,
     Completion::nothing, WhenChosen::is_written},
});

}  // namespace

void tell_summary(CommandContext& context, const std::string& summary) {
  context.console.show_conversation();
  context.console.notice(
      fmt::format("A new conversation that begins with this summary of the last one (which is "
                  "still in /list):\n{}",
                  summary));
}

std::span<const Command> compact_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
