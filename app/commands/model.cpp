// SPDX-License-Identifier: MIT
#include "app/commands/model.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "app/chat/backend.h"
#include "app/engines/engine_choice.h"
#include "app/error.h"
#include "app/models/model_finder.h"

namespace confab::app {
namespace {

std::vector<EngineConfig> engines_of(const CommandContext& context) {
  return context.backend != nullptr ? context.backend->options.engines
                                    : std::vector<EngineConfig>();
}

void run_model(CommandContext& context, const std::string& name) {
  if (name.empty() && context.console.choose(Choice::model)) return;
  const std::vector<FoundModel> models = find_models(context.chat.model_info().path);
  if (name.empty()) {
    std::string text = fmt::format("Current model: {}", context.chat.model_info().name);
    for (const FoundModel& model : models) text += fmt::format("\n{}", model.name);
    for (const OfferedModel& model : offered_models(engines_of(context)))
      text += fmt::format("\n{} ({})", model.name, model.where);
    return context.console.notice(text + "\n/model NAME|FILE switches to another one.");
  }
  const bool is_elsewhere = engine_choice(name, engines_of(context)).has_value();
  const std::string spec = is_elsewhere ? name : spec_of_model(name, models);
  if (context.backend == nullptr) throw UserError("the model cannot be changed here");
  use_model(*context.backend, context.chat, spec);
  std::error_code error;
  if (context.backend->is_demo)
    remember(context, "model", {});
  else
    remember(context, "model",
             is_elsewhere                           ? context.chat.model_info().path
             : std::filesystem::exists(spec, error) ? absolute_path(spec)
                                                    : spec);
  context.console.notice(fmt::format("Switched to {}.", context.chat.model_info().name));
}

using enum Completion;

// A download may take an hour, and the chat is for talking meanwhile.
void run_pull(CommandContext& context, const std::string& name) {
  if (name.empty())
    return context.console.notice(
        "In another terminal, confab pull --suggest names three models that fit this machine, and "
        "confab pull ORG/NAME downloads one.");
  context.console.notice(
      fmt::format("In another terminal: confab pull {}\nThen here: /model, with the name of the "
                  "file that it says.",
                  name));
}

constexpr auto kCommands = std::to_array<Command>({
    {"/model", "", "[NAME|FILE]", "switch to another model", false, run_model, models},
    {"/pull", "", "[ORG/NAME]", "say how to download a model", true, run_pull},
});

}  // namespace

std::span<const Command> model_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
