// SPDX-License-Identifier: MIT
#include "app/commands/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "app/chat/report.h"
#include "app/commands/arguments.h"
#include "app/error.h"
#include "app/figures.h"

namespace confab::app {
namespace {

using engine::SamplerParams;

// A parameter under Ollama's name and llama.cpp's.
struct RealSetting {
  std::string_view name, alias;
  float SamplerParams::*member;
  float least, most;
};
struct CountSetting {
  std::string_view name, alias;
  int SamplerParams::*member;
};
constexpr float kLots = 1e6F;
constexpr auto kReals = std::to_array<RealSetting>({
    {"temperature", "temp", &SamplerParams::temperature, 0, 100},
    {"top_p", "top-p", &SamplerParams::top_p, 0, 1},
    {"min_p", "min-p", &SamplerParams::min_p, 0, 1},
    {"repeat_penalty", "repeat-penalty", &SamplerParams::repeat_penalty, 0.01F, 100},
    {"frequency_penalty", "frequency-penalty", &SamplerParams::frequency_penalty, -kLots, kLots},
    {"presence_penalty", "presence-penalty", &SamplerParams::presence_penalty, -kLots, kLots},
});
constexpr auto kCounts = std::to_array<CountSetting>({
    {"top_k", "top-k", &SamplerParams::top_k},
    {"repeat_last_n", "repeat-last-n", &SamplerParams::repeat_last_n},
});
constexpr int kNoBudget = -1;

template <class T>
T number(const std::string& text, T least, T most, std::string_view name) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end || !(value >= least && value <= most))
    throw UserError(fmt::format("{}: '{}' is no number from {} to {}", name, text, least, most));
  return value;
}

std::string settings_text(Chat& chat) {
  const SamplerParams& p = chat.sampling();
  std::string text;
  for (const RealSetting& s : kReals) text += fmt::format("{:<18} {}\n", s.name, p.*s.member);
  for (const CountSetting& s : kCounts) text += fmt::format("{:<18} {}\n", s.name, p.*s.member);
  text += fmt::format("{:<18} {}\n", "seed", p.seed ? fmt::format("{}", *p.seed) : "a fresh one");
  return text + fmt::format("{:<18} {}", "num_predict", chat.n_predict());
}

bool set_sampling(Chat& chat, const std::string& name, const std::string& value) {
  SamplerParams& params = chat.sampling();
  for (const RealSetting& s : kReals)
    if (name == s.name || name == s.alias)
      return params.*s.member = number<float>(value, s.least, s.most, s.name), true;
  constexpr int kMost = std::numeric_limits<int>::max();
  for (const CountSetting& s : kCounts)
    if (name == s.name || name == s.alias)
      return params.*s.member = number<int>(value, 0, kMost, s.name), true;
  if (name == "seed") {
    params.seed = number<std::uint64_t>(value, 0, std::numeric_limits<std::uint64_t>::max(), name);
    return true;
  }
  if (name != "num_predict" && name != "predict" && name != "n") return false;
  chat.n_predict() = number<int>(value, -1, kMost, name);
  return true;
}

// The first word, taken off the text.
std::string take_word(std::string& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  std::string word = text.substr(0, end);
  text.erase(0, std::min(text.find_first_not_of(' ', end), text.size()));
  return word;
}

std::string shown(std::string_view text, std::string_view what) {
  return text.empty() ? fmt::format("There is no {}.", what) : std::string(text);
}

void set_thinking(CommandContext& context, bool on) {
  const engine::ModelInfo& model = context.chat.model_info();
  if (!model.can_switch_thinking)
    throw UserError(fmt::format("{}: {}", model.name,
                                model.can_reason
                                    ? "its template cannot switch reasoning; /think budget 0 cuts "
                                      "it off, /think hide hides it"
                                    : "this model does not reason"));
  context.chat.thinking() = on;
  int& budget = context.chat.reasoning_budget();
  if (on && budget == 0) budget = kNoBudget;
  context.console.notice(on ? "The next answers are reasoned about."
                            : "The next answers come without reasoning.");
}

void show_budget(CommandContext& context) {
  const int budget = context.chat.reasoning_budget();
  context.console.notice(
      budget == kNoBudget ? "Reasoning has no budget: /think budget N ends it after N tokens."
      : budget == 0       ? "The next answers come without reasoning."
                          : fmt::format("Reasoning ends after {} tokens.", grouped(budget)));
}

void set_budget(CommandContext& context, const std::string& tokens) {
  constexpr const char* kUsage = "/think budget N (tokens; 0: no reasoning), or off";
  const engine::ModelInfo& model = context.chat.model_info();
  if (!model.can_reason) throw UserError(fmt::format("{}: this model does not reason", model.name));
  if (!tokens.empty())
    context.chat.reasoning_budget() = tokens == "off" ? kNoBudget : number_of(tokens, 0, kUsage);
  show_budget(context);
}

void run_system(CommandContext& context, const std::string& text) {
  if (text.empty())
    return context.console.notice(shown(context.chat.system(), "system prompt: /system TEXT"));
  const bool begun = !context.chat.messages().empty();
  context.chat.set_system(text);
  context.console.notice(begun ? "The system prompt is changed; what was said goes on under it."
                               : "The system prompt is set.");
}

void run_think(CommandContext& context, const std::string& what) {
  if (what == "on" || what == "off") return set_thinking(context, what == "on");
  if (what == "show" || what == "hide") return context.console.open_reasoning(what == "show");
  const bool thinks =
      context.chat.thinking().value_or(true) && context.chat.reasoning_budget() != 0;
  if (what.empty()) return set_thinking(context, !thinks);
  constexpr std::string_view kBudget = "budget";
  const std::size_t word = std::min(what.find(' '), what.size());
  if (std::string_view(what).substr(0, word) != kBudget)
    throw UserError(fmt::format("'{}': /think on, off, show, hide or budget N", what));
  set_budget(context, what.substr(std::min(what.find_first_not_of(' ', word), what.size())));
}

void run_nothink(CommandContext& context, const std::string&) {
  set_thinking(context, false);
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
    throw UserError("the size of the context is set at the start: confab -c N");
  if (value.empty()) throw UserError(fmt::format("{} to what? /set {} VALUE", name, name));
  if (!set_sampling(context.chat, name, value))
    throw UserError(
        fmt::format("no setting '{}'; there are: {}", name, fmt::join(setting_names(), ", ")));
  context.console.notice(fmt::format("{} is {} from the next answer on.", name, value));
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
    throw UserError(
        fmt::format("'{}': /show info, system, template, parameters, context or prompt", what));
  context.console.notice(text);
}

using enum Completion;

constexpr auto kCommands = std::to_array<Command>({
    {"/system", "", "[TEXT]", "the system prompt, or another one", false, run_system},
    {"/set", "", "[KEY VALUE]", "how answers are sampled", false, run_set, settings},
    {"/think", "", "[on|off|show|hide|budget N]",
     "reasoning before answers, whether it shows, and its most tokens", false, run_think},
    {"/nothink", "", "", "no reasoning", false, run_nothink},
    {"/show", "/stats /tokens /context", "[WHAT]",
     "the model, context and speed; or: system, template, parameters, prompt", true, run_show,
     parts},
});

}  // namespace

std::vector<std::string> setting_names() {
  std::vector<std::string> names{"num_predict", "seed", "system", "think", "nothink"};
  for (const RealSetting& s : kReals) names.emplace_back(s.name);
  for (const CountSetting& s : kCounts) names.emplace_back(s.name);
  return names;
}

std::span<const Command> settings_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
