// SPDX-License-Identifier: MIT
#include "app/commands/route.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "app/chat/backend.h"
#include "app/commands/arguments.h"
#include "app/commands/attach_files.h"
#include "app/engines/engine_choice.h"
#include "app/error.h"
#include "app/forms/form_check.h"
#include "app/models/model_finder.h"
#include "app/prompts/template_call.h"
#include "ui/words.h"

namespace confab::app {
namespace {

// The name after the slash.
std::string_view called_name(std::string_view text) noexcept {
  return text.substr(1, std::min(text.find_first_of(" \t\n"), text.size()) - 1);
}

const PromptTemplate* called(const CommandContext& context, std::string_view text) noexcept {
  if (text.size() < 2 || text[0] != '/') return nullptr;
  return context.routing.router.templates().find_command(called_name(text));
}

// The template's model if it is not the chat's; "" otherwise.
std::string other_model_of(const CommandContext& context, const PromptTemplate& asked_with) {
  const std::string name = model_of(asked_with);
  if (name.empty() || context.backend == nullptr) return {};
  const std::string& used = context.chat.model_info().path;
  const ModelOptions& options = context.backend->options;
  if (engine_choice(name, options.engines)) return name == used || name == options.path ? "" : name;
  const std::vector<FoundModel> models = find_models(used);
  if (path_of_model(name, models) == used) return {};
  const std::string spec = spec_of_model(name, models);
  return spec == used ? "" : spec;
}

// Reports the settings that apply only to whole runs, once for each of the person's templates.
// Built-in templates are not reported.
void tell_what_stays(CommandContext& context, const PromptTemplate& one) {
  std::vector<std::string_view> keys;
  for (const TemplateSetting& setting : one.settings)
    if (ui::has_word("ctx_size system", setting.option->key)) keys.push_back(setting.option->key);
  if (one.overflow) keys.emplace_back("overflow");
  if (keys.empty() || one.is_built_in() || !context.routing.told_kept.insert(one.name).second)
    return;
  context.console.notice(fmt::format("{0}: {1} {2} for confab {0} alone; this chat keeps its own.",
                                     one.name, fmt::join(keys, ", "),
                                     keys.size() == 1 ? "holds" : "hold"));
}

// Returns true if the text contains all parts of the instruction, in order.
bool has_instruction(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    at = text.find(part, at);
    if (at == std::string::npos) return false;
    at += part.size();
  }
  return !parts.empty();
}

// A question and how to ask it.
struct Asked {
  RouteDecision decision;
  std::vector<std::string> instruction;  // from filled()
  Question question;
  bool tells_class = false;
};

// Reports the class, once until another template is used.
void tell_class(CommandContext& context, const std::string& text) {
  Routing& routing = context.routing;
  const bool is_as_it_was = routing.changed.empty() && routing.asked == text;
  if (is_as_it_was || routing.last.asked_with->name == routing.told_of) return;
  routing.told_of = routing.last.asked_with->name;
  context.console.notice(told_of(routing.last, routing.changed) + "; /route off asks as it is");
}

// Applies the template, if there is one: its settings, its instruction (unless the question has it
// already) and the form it expects.
Question prepared(CommandContext& context, Asked asked) {
  Routing& routing = context.routing;
  Question& question = asked.question;
  const std::string text = question.text;
  const PromptTemplate* const with = asked.decision.asked_with;
  routing.changed.clear();
  routing.expected = {};
  if (with != nullptr) {
    tell_what_stays(context, *with);
    AnswerOptions options = context.chat.answer_options();
    routing.changed = apply(*with, options);
    if (options.shape.kind == engine::ConstraintSpec::Kind::none) routing.expected = with->expected;
    if (!routing.changed.empty()) question.options = std::move(options);
    if (!has_instruction(question.text, asked.instruction))
      question.text = asked_in_form(instructed(asked.instruction, question.text), routing.expected);
  }
  routing.instruction = std::move(asked.instruction);
  routing.last = std::move(asked.decision);
  routing.asked = question.text;
  if (asked.tells_class && with != nullptr) tell_class(context, text);
  return std::move(question);
}

// Uses the template of the question's class.
Asked classed(RouteDecision decision, Question question) {
  std::vector<std::string> instruction;
  if (decision.asked_with != nullptr) instruction = filled(*decision.asked_with, {});
  return {std::move(decision), std::move(instruction), std::move(question), true};
}

// Returns nullopt if the question has to wait for its model (take_ready() returns it later), or if
// the model cannot be loaded.
std::optional<Question> asked_with(CommandContext& context, Asked asked) {
  const PromptTemplate* const with = asked.decision.asked_with;
  const std::string model = with != nullptr ? other_model_of(context, *with) : "";
  if (model.empty()) return prepared(context, std::move(asked));
  const auto end = [&context, asked = std::make_shared<Asked>(std::move(asked)),
                    with](const std::string& fault) {
    if (!fault.empty()) {
      context.attached = asked->question.attachments;
      context.console.take_back(asked->question.text);
      return context.console.error(fault);
    }
    context.console.notice(fmt::format("Switched to {}, as {} has it; /model switches back.",
                                       context.chat.model_info().name, with->name));
    context.routing.ready = prepared(context, std::move(*asked));
  };
  use_model(*context.backend, context.chat, model, end);
  return take_ready(context);  // a model from a file is loaded at once
}

// Removes and returns the arguments at the start of the text.
std::vector<std::string> leading_arguments(const PromptTemplate& one, std::string& text) {
  std::vector<std::string> words;
  auto n_needed = std::ranges::count_if(
      one.arguments, [](const TemplateArgument& argument) { return !argument.by_default; });
  for (;;) {
    std::string rest = text;
    std::string word = take_argument_word(rest);
    const TemplateArgument* named = named_argument(one, word);
    if (word.empty() || word[0] == '@' || (named == nullptr && n_needed == 0)) return words;
    if (named == nullptr || !named->by_default) --n_needed;
    words.push_back(std::move(word));
    text = std::move(rest);
  }
}

void run_route(CommandContext& context, const std::string& route) {
  Routing& routing = context.routing;
  if (!route.empty()) {
    routing.router.set_route(route, "/route");
    routing.told_of.clear();
    if (routing.router.named() == nullptr) remember(context, "route", route);
    return context.console.notice(
        routing.router.named() != nullptr
            ? fmt::format(
                  "All questions are asked with the template {} now; /route rules ends that.",
                  route)
            : fmt::format("Routing is now {}.", route));
  }
  std::string text = fmt::format("Routing is {}.", routing.router.route());
  if (!routing.asked.empty())
    text += fmt::format(" The last question was {}.", told_of(routing.last, routing.changed));
  const std::vector<std::string> names = route_names(routing.router.templates());
  context.console.notice(fmt::format(
      "{}\n/route auto asks the model where the rules are in doubt, rules leaves such questions as "
      "they are, off leaves all; a name asks all questions with that template: {}.",
      text, fmt::join(std::span(names).subspan(3), ", ")));
}

using enum Completion;

constexpr auto kCommands = std::to_array<Command>({
    {"/route", "", "[NAME]", "show or choose with which template questions are asked", true,
     run_route, routes},
});

}  // namespace

std::span<const Command> route_commands() noexcept {
  return kCommands;
}

void begin_routing(CommandContext& context, const ChatOptions& options) {
  Routing& routing = context.routing;
  routing.router = Router(TemplateSet::load(context.paths->templates), options);
  for (const std::string& fault : routing.router.templates().faults()) context.console.error(fault);
  for (const PromptTemplate* one : routing.router.templates().commands()) {
    const std::string& name = routing.texts.emplace_back("/" + one->name);
    std::string usage = usage_of(*one, "");
    usage.erase(0, usage.empty() ? 0 : 1);
    const std::string& arguments =
        routing.texts.emplace_back(usage + (usage.empty() ? "" : " ") + "[TEXT]");
    routing.commands.push_back({.name = name,
                                .aliases = "",
                                .arguments = arguments,
                                .help = one->description,
                                .while_generating = false,
                                .run = nullptr,
                                .when_chosen = WhenChosen::is_written});
  }
}

std::optional<Question> routed_question(CommandContext& context, const std::string& text) {
  const Router& router = context.routing.router;
  Question question = question_with_files(context, text);
  const std::vector<std::string> files = names_of(question.attachments);
  RouteDecision decision = router.decide(text, files);
  if (!router.asks_model(decision) || context.backend == nullptr)
    return asked_with(context, classed(std::move(decision), std::move(question)));
  const engine::AnswerId scoring = context.backend->model->score(router.request(text, files));
  context.routing.pending = Routing::Pending{scoring, std::move(question)};
  return std::nullopt;
}

Question edited_question(CommandContext& context, const std::string& text,
                         std::optional<std::size_t> question) {
  const Routing& routing = context.routing;
  const auto messages = context.chat.messages();
  if (!question && !messages.empty()) question = context.chat.question_of(messages.size() - 1);
  if (!question) return text;
  const sessions::Message& before = messages[*question];
  const bool is_called_alike =
      before.content == routing.asked && has_instruction(text, routing.instruction);
  if (is_called_alike) return prepared(context, {routing.last, routing.instruction, text});
  return prepared(context,
                  classed(routing.router.decide(text, names_of(before.attachments)), text));
}

std::optional<Question> take_class(CommandContext& context, const engine::AnswerEvent& told) {
  Routing& routing = context.routing;
  if (!routing.pending || told.answer != routing.pending->scoring || !engine::is_end(told.event))
    return std::nullopt;
  Question question = std::exchange(routing.pending, {})->question;
  const auto* scored = std::get_if<engine::Scored>(&told.event);
  RouteDecision decision{.reason = "the model could not be asked"};
  if (scored != nullptr) decision = routing.router.decide(*scored);
  return asked_with(context, classed(std::move(decision), std::move(question)));
}

std::optional<Question> take_ready(CommandContext& context) noexcept {
  return std::exchange(context.routing.ready, std::nullopt);
}

void forget_class(CommandContext& context) noexcept {
  if (context.routing.pending) context.backend->model->cancel(context.routing.pending->scoring);
}

bool is_template_call(const CommandContext& context, std::string_view text) noexcept {
  return called(context, text) != nullptr;
}

void run_template(CommandContext& context, const std::string& text) {
  const PromptTemplate& one = *called(context, text);
  const std::string command = fmt::format("/{}", one.name);
  attempt(context, [&] {
    require_idle(context, command);
    std::string rest = text.substr(command.size());
    rest.erase(0, std::min(rest.find_first_not_of(" \t\n"), rest.size()));
    std::vector<std::string> words = leading_arguments(one, rest);
    const ArgumentValues values = take_arguments(one, command, words);
    // After an answer, the template applies to that. The person's own template may not need any
    // text.
    const bool needs_text = one.is_built_in() || one.has_input();
    if (needs_text && rest.empty() && context.attached.empty() && context.chat.messages().empty())
      throw UserError(
          fmt::format("{}: nothing to work on yet: write the text behind it, or attach "
                      "a file with /read",
                      text));
    auto question = asked_with(context, {.decision = {&one, "it was called by its name"},
                                         .instruction = filled(one, values),
                                         .question = question_with_files(context, rest)});
    if (!question) return;
    context.chat.send(*std::move(question));
    context.console.show_answer();
  });
}

void check_form(CommandContext& context, const AnswerOutcome& outcome) {
  const Routing& routing = context.routing;
  const auto messages = context.chat.messages();
  const bool is_cut_off =
      outcome.end == AnswerEnd::length || outcome.end == AnswerEnd::context_full;
  if (!routing.expected.is_wanted() || outcome.is_aside() || messages.empty() ||
      context.chat.generating() || (!is_cut_off && outcome.end != AnswerEnd::finished))
    return;
  if (messages[context.chat.question_of(messages.size() - 1)].content != routing.asked) return;
  if (const auto fault = fault_of(messages.back().content, routing.expected, is_cut_off))
    context.console.notice(fmt::format("This is not {}, which {} expects: {}; /retry asks again.",
                                       name_of(routing.expected), routing.last.asked_with->name,
                                       *fault));
}

AnswerOptions options_of(const CommandContext& context, std::optional<std::size_t> question) {
  const Routing& routing = context.routing;
  const auto messages = context.chat.messages();
  AnswerOptions options = context.chat.set_options();
  if (!question && !messages.empty()) question = context.chat.question_of(messages.size() - 1);
  const bool is_it = question && messages[*question].content == routing.asked;
  if (is_it && routing.last.asked_with != nullptr) apply(*routing.last.asked_with, options);
  return context.chat.options(options);
}

}  // namespace confab::app
