// SPDX-License-Identifier: MIT
#include "app/commands/compact.h"

#include <fmt/format.h>

#include <array>

#include "app/commands/arguments.h"
#include "app/error.h"

namespace confab::app {
namespace {

constexpr const char* kSummaryRequest =
    "Summarise our conversation so far, so that we can go on from the summary alone: what I want, "
    "what was decided and found, names, numbers, file names and code that still matter, and what "
    "is open. Write only the summary.";

// Asks the model for a summary and goes on in a new conversation that begins with it.
void run_compact(CommandContext& context, const std::string&) {
  if (context.chat.messages().empty()) throw UserError("there is nothing to summarise yet");
  const std::string system = context.chat.system();
  context.chat.send(kSummaryRequest);
  context.console.show_answer();
  context.after_answer = [&context, system] {
    const std::string summary = context.chat.messages().back().content;
    context.chat.start_new(fmt::format("{}{}Summary of the conversation so far:\n{}", system,
                                       system.empty() ? "" : "\n\n", summary));
    context.console.show_conversation();
    context.console.notice(fmt::format(
        "A new conversation that knows this summary of the one before (/list has that):\n{}",
        summary));
  };
}

void run_forget(CommandContext& context, const std::string& n) {
  if (context.chat.messages().empty()) throw UserError("nothing has been said yet");
  context.chat.forget(count_of(n, 1, "/forget [N]"));
  context.console.show_conversation();
  context.console.notice(
      "The model no longer knows what came before. It is a branch of its own: /branches.");
}

constexpr auto kCommands = std::to_array<Command>({
    {"/compact", "/compress", "", "go on in a new conversation with a summary of this one", false,
     run_compact},
    {"/forget", "", "[N]", "let the model forget the first N questions", false, run_forget},
});

}  // namespace

std::span<const Command> compact_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
