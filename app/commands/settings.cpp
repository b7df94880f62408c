// SPDX-License-Identifier: MIT
#include "app/commands/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "app/chat/report.h"
#include "app/commands/arguments.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/option_table.h"
#include "app/parameters.h"
#include "app/themes.h"

namespace confab::app {
namespace {

constexpr int kNoBudget = -1;

std::string value_or_random(const Parameter& parameter, const AnswerOptions& options) {
  const std::string value = value_text(parameter, options);
  return value.empty() ? "random" : value;
}

// Remembers the setting, except for the seed, which would fix all future chats, and the biases,
// which depend on the model's tokens.
void remember_setting(CommandContext& context, const Parameter& parameter) {
  if (parameter.name == "seed" || parameter.name == "logit_bias") return;
  const AnswerOptions& options = context.chat.answer_options();
  const std::string value = value_text(parameter, options);
  if (origin_of(parameter, options) != Origin::chat)
    remember(context, parameter.key, {});
  else if (is_switch(parameter))
    remember(context, parameter.key, value == "true");
  else if (is_list(parameter))
    remember(context, parameter.key, value);
  else
    remember(context, parameter.key, Remembered::Number{value});
}

std::string settings_text(const Chat& chat) {
  const AnswerOptions options = chat.options();
  std::string text;
  for (const Parameter& parameter : parameters()) {
    if (!parameter.command.empty()) continue;
    text += fmt::format("{}{:<21} {:<8} {}", text.empty() ? "" : "\n", parameter.name,
                        value_or_random(parameter, options),
                        origin_text(origin_of(parameter, options)));
  }
  if (!options.stop.empty())
    text += fmt::format("\n{:<21} {}{}", "stop", fmt::join(options.stop, ", "),
                        chat.set_options().stop.empty() ? "  the model" : "");
  return text;
}

std::string shown(std::string_view text, std::string_view what) {
  return text.empty() ? fmt::format("No {}.", what) : std::string(text);
}

void set_thinking(CommandContext& context, bool on) {
  const engine::ModelInfo& model = context.chat.model_info();
  if (!model.can_switch_thinking)
    throw UserError(fmt::format("{}: {}", model.name,
                                model.can_reason ? "its reasoning cannot be turned off; /think "
                                                   "budget 0 cuts it off, /think hide hides it"
                                                 : "this model does not reason"));
  context.chat.answer_options().thinking = on;
  int& budget = context.chat.answer_options().reasoning_budget;
  remember(context, "thinking", on);
  if (on && budget == 0) {
    budget = kNoBudget;
    remember(context, "reasoning_budget", {});
  }
  context.console.notice(on ? "Reasoning is on." : "Reasoning is off.");
}

void show_budget(CommandContext& context) {
  const int budget = context.chat.answer_options().reasoning_budget;
  context.console.notice(
      budget == kNoBudget ? "Reasoning has no limit; /think budget N limits it to N tokens."
      : budget == 0       ? "Reasoning is off."
                          : fmt::format("Reasoning is limited to {}.", counted(budget, "token")));
}

void set_budget(CommandContext& context, const std::string& tokens) {
  constexpr const char* kUsage = "/think budget N (tokens; 0: no reasoning), or off";
  const engine::ModelInfo& model = context.chat.model_info();
  if (!model.can_reason) throw UserError(fmt::format("{}: this model does not reason", model.name));
  if (tokens.empty()) return show_budget(context);
  const int budget = tokens == "off" ? kNoBudget : number_of(tokens, 0, kUsage);
  context.chat.answer_options().reasoning_budget = budget;
  remember(context, "reasoning_budget", Remembered::Number{fmt::format("{}", budget)});
  show_budget(context);
}

void run_system(CommandContext& context, const std::string& text) {
  if (text.empty())
    return context.console.notice(
        shown(context.chat.system(), "system prompt; /system TEXT sets one"));
  const bool begun = !context.chat.messages().empty(), none = text == "none";
  context.chat.set_system(none ? "" : text);
  context.console.notice(none    ? "System prompt removed."
                         : begun ? "System prompt changed; it applies to the whole conversation."
                                 : "System prompt set.");
}

void run_think(CommandContext& context, const std::string& what) {
  if (what == "on" || what == "off") return set_thinking(context, what == "on");
  if (what == "show" || what == "hide") return context.console.open_reasoning(what == "show");
  const bool thinks = context.chat.answer_options().thinking.value_or(true) &&
                      context.chat.answer_options().reasoning_budget != 0;
  if (what.empty()) return set_thinking(context, !thinks);
  std::string tokens = what;
  if (take_word(tokens) != "budget")
    throw UserError(fmt::format("'{}': expected /think on, off, show, hide or budget N", what));
  set_budget(context, tokens);
}

void run_nothink(CommandContext& context, const std::string&) {
  set_thinking(context, false);
}

// Sets an option that is not a parameter; "none" resets it.
void set_option_of_chat(CommandContext& context, const Option& option, const std::string& value) {
  ChatOptions options;
  AnswerOptions& of_chat = context.chat.answer_options();
  static_cast<AnswerOptions&>(options) = of_chat;
  std::vector<std::string> texts;
  if (value != "none") texts.push_back(value);
  const std::string fault = put_value(option.value, options, texts, Origin::chat);
  if (!fault.empty()) throw UserError(fmt::format("{} {}", option.set_name, fault));
  of_chat = options;
  context.console.notice(fmt::format("{} is now {}.", option.set_name, value));
}

// The advice about a name that /set does not know.
std::string advice_about_setting(std::string_view name) {
  const Option* option = find_option(name);
  if (option == nullptr)
    return fmt::format("no setting '{}'; the settings are: {}", name,
                       fmt::join(setting_names(), ", "));
  if (!option->command.empty()) return fmt::format("{} is set by {}", name, option->command);
  return fmt::format("{} can only be set at startup: confab {}{}{}", name, long_flag(*option),
                     is_switch(*option) ? "" : " ", option->value_name);
}

void run_set(CommandContext& context, const std::string& setting) {
  std::string value = setting;
  std::string name = take_word(value);
  if (name == "parameter") name = take_word(value);
  if (name.empty()) return context.console.notice(settings_text(context.chat));
  if (name == "system") return run_system(context, value);
  if (name == "think") return run_think(context, "on");
  if (name == "nothink") return run_nothink(context, "");
  if (name == "num_ctx" || name == "ctx")
    throw UserError("the context size can only be set at startup: confab -c N");
  if (value.empty()) throw UserError(fmt::format("{} needs a value: /set {} VALUE", name, name));
  if (const Option* option = find_set_option(name))
    return set_option_of_chat(context, *option, value);
  const Parameter* parameter = find_set_parameter(name);
  if (parameter == nullptr) throw UserError(advice_about_setting(name));
  const std::string fault =
      set_parameter(*parameter, context.chat.answer_options(), value, Origin::chat);
  if (!fault.empty()) throw UserError(fmt::format("{} {}", parameter->name, fault));
  remember_setting(context, *parameter);
  context.console.notice(
      fmt::format("{} is now {}.", name, value_or_random(*parameter, context.chat.options())));
}

void run_show(CommandContext& context, const std::string& what) {
  const Chat& chat = context.chat;
  std::string text;
  if (what.empty() || what == "info" || what == "context")
    text = describe_stats(chat);
  else if (what == "system")
    text = shown(chat.system(), "system prompt");
  else if (what == "template")
    text = chat.model_info().template_source;
  else if (what == "parameters")
    text = settings_text(context.chat);
  else if (what == "prompt")
    text = shown(chat.messages().empty() ? "" : chat.prompt_text(), "prompt yet");
  else
    throw UserError(fmt::format(
        "'{}': expected /show info, system, template, parameters, context or prompt", what));
  context.console.notice(text);
}

using enum Completion;

constexpr auto kCommands = std::to_array<Command>({
    {"/system", "", "[TEXT|none]", "show, set or remove the system prompt", false, run_system},
    {"/set", "", "[KEY VALUE]", "show or change sampling settings", false, run_set, settings},
    {"/think", "", "[on|off|show|hide|budget N]",
     "turn reasoning on or off, show, hide or limit it", false, run_think, nothing,
     WhenChosen::is_written},
    {"/nothink", "", "", "turn reasoning off", false, run_nothink},
    {"/show", "/stats /tokens", "[WHAT]", "show the model, context and speed, or another detail",
     true, run_show, parts},
});

void run_theme(CommandContext& context, const std::string& name) {
  if (context.paths == nullptr) throw UserError("no themes here");
  if (!name.empty()) {
    const bool shown = context.console.set_theme(find_theme(name, *context.paths));
    const bool is_file = name.find('/') != std::string::npos || name.ends_with(".toml");
    remember(context, "theme", is_file ? absolute_path(name) : name);
    return context.console.notice(
        fmt::format("Theme: {}{}.", name, shown ? "" : "; there are no colours in this mode"));
  }
  if (context.console.choose(PickerKind::theme)) return;
  context.console.notice(fmt::format("Themes: {}\n/theme NAME chooses one.",
                                     fmt::join(theme_names(*context.paths), ", ")));
}

using enum Completion;

constexpr auto kThemeCommands = std::to_array<Command>({
    {"/theme", "", "[NAME]", "change the colours", true, run_theme, themes},
});

}  // namespace

std::vector<std::string> setting_names() {
  std::vector<std::string> names{"system", "think", "nothink"};
  for (const Parameter& parameter : parameters())
    if (parameter.command.empty()) names.emplace_back(parameter.name);
  for (const Option& option : option_table())
    if (!option.set_name.empty()) names.emplace_back(option.set_name);
  return names;
}

std::span<const Command> settings_commands() noexcept {
  return kCommands;
}

std::span<const Command> theme_commands() noexcept {
  return kThemeCommands;
}

}  // namespace confab::app
