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
#include "app/pull/pull_command.h"

namespace confab::app {
namespace {

std::vector<EngineConfig> engines_of(const CommandContext& context) {
  return context.backend != nullptr ? context.backend->options.engines
                                    : std::vector<EngineConfig>();
}

// Keeps the choice for the next run.
void keep_choice(CommandContext& context, const std::string& spec, bool is_elsewhere) {
  std::error_code error;
  if (context.backend->is_demo) return remember(context, "model", {});
  remember(context, "model",
           is_elsewhere                           ? context.chat.model_info().path
           : std::filesystem::exists(spec, error) ? absolute_path(spec)
                                                  : spec);
}

void run_model(CommandContext& context, const std::string& name) {
  if (name.empty() && context.console.choose(PickerKind::model)) return;
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
  const auto end = [&context, spec, is_elsewhere](const std::string& fault) {
    if (!fault.empty()) return context.console.error(fault);
    keep_choice(context, spec, is_elsewhere);
    context.console.notice(fmt::format("Switched to {}.", context.chat.model_info().name));
  };
  use_model(*context.backend, context.chat, spec, end);
}

using Step = BackgroundPull::Step;

void show_suggestions(CommandContext& context) {
  const SuggestedPulls suggested = suggested_pulls(*context.paths, "/pull");
  context.console.show_text("Models that fit",
                            fmt::format("{}{}/pull ORG/NAME downloads any of huggingface.co.",
                                        suggested.models, suggested.about));
}

void stop_pull(CommandContext& context) {
  const Pulling& pulling = context.pulling;
  if (pulling.running == nullptr) throw UserError("/pull stop: nothing is being downloaded");
  pulling.running->stop();
}

void run_pull(CommandContext& context, const std::string& name) {
  Pulling& pulling = context.pulling;
  if (name == "stop") return stop_pull(context);
  if (context.paths == nullptr) throw UserError("nothing can be downloaded here");
  if (name.empty() && pulling.running == nullptr) return show_suggestions(context);
  if (name.empty())
    return context.console.notice(pull_text(pulling) + "; /pull stop ends the download.");
  if (pulling.running != nullptr)
    throw UserError(
        fmt::format("{} is being downloaded; /pull stop ends that", pulling.running->model()));
  pulling.running = std::make_unique<BackgroundPull>(name, *context.paths);
  pulling.state = pulling.running->state();
  const std::string& notice = pulling.running->notice();
  if (!notice.empty()) context.console.announce(notice);
  context.console.notice(
      fmt::format("Downloading {}; the chat goes on. /pull stop ends the download.", name));
}

using enum Completion;

constexpr auto kCommands = std::to_array<Command>({
    {"/model", "", "[NAME|FILE]", "switch to another model", false, run_model, models},
    {"/pull", "", "[ORG/NAME[:QUANT]|stop]", "download a model while the chat goes on", true,
     run_pull},
});

}  // namespace

std::span<const Command> model_commands() noexcept {
  return kCommands;
}

int pull_fd(const Pulling& pulling) noexcept {
  return pulling.running == nullptr ? -1 : pulling.running->wake_fd();
}

void take_pull(CommandContext& context) {
  context.pulling.state = context.pulling.running->state();
  if (context.pulling.is_over()) end_pull(context);
}

void end_pull(CommandContext& context) {
  const BackgroundPull::State& state = context.pulling.state;
  const std::string model = context.pulling.running->model();
  context.pulling.running.reset();
  if (state.step == Step::finished)
    context.console.announce(fmt::format("{} /model {} switches to it.", state.text, state.name));
  else if (state.step == Step::failed)
    context.console.error(
        fmt::format("{} (/pull {} tries again, and keeps what has come)", state.text, model));
  else
    context.console.notice(
        fmt::format("Stopped: what has come of {} stays, and /pull {} goes on.", model, model));
}

std::string pull_text(const Pulling& pulling) {
  if (pulling.running == nullptr) return {};
  return fmt::format("{} % of {}: {}", pulling.state.percent, pulling.running->model(),
                     pulling.state.text);
}

std::string pull_farewell(const Pulling& pulling) {
  if (pulling.running == nullptr) return {};
  return fmt::format("The download of {} is not whole; confab pull {} goes on with it.",
                     pulling.running->model(), pulling.running->model());
}

}  // namespace confab::app
