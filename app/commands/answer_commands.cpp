// SPDX-License-Identifier: MIT
#include "app/commands/answer_commands.h"
#include "app/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "app/chat/report.h"
#include "app/error.h"
#include "ui/markdown/markdown.h"

namespace confab::app {
namespace {

constexpr int kWholeHistory = 20;
constexpr int kNoBudget = -1;

constexpr const char* kSummaryRequest =
    "Summarise our conversation so far, so that we can go on from the summary alone: what I want, "
    "what was decided and found, names, numbers, file names and code that still matter, and what "
    "is "
    "open. Write only the summary.";

// Throws UserError.
int number_of(const std::string& text, int least, const char* usage) {
  int n = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, n);
  if (fault != std::errc{} || stop != end || n < least)
    throw UserError(fmt::format("'{}' is no number from {} on: {}", text, least, usage));
  return n;
}

// A number from 1 on; `none` for no text. Throws UserError.
int count_of(const std::string& text, int none, const char* usage) {
  return text.empty() ? none : number_of(text, 1, usage);
}

// The n-th answer from the end. Throws UserError.
const sessions::Message& answer_at(const Chat& chat, int n) {
  for (auto message = chat.messages().rbegin(); message != chat.messages().rend(); ++message)
    if (message->role == sessions::Role::assistant && --n == 0) return *message;
  throw UserError("there is no such answer");
}

// The n-th code block of a text; 0: the last one. Throws UserError.
std::string code_block(const std::string& markdown, int n) {
  std::vector<std::string> blocks;
  for (ui::MarkdownPart& part : ui::render_markdown(markdown, ui::Cols{80}).parts)
    if (part.kind == ui::MarkdownPart::Kind::code_block) blocks.push_back(std::move(part.source));
  if (blocks.empty()) throw UserError("the last answer has no code block");
  const auto i = n == 0 ? blocks.size() : static_cast<std::size_t>(n);
  if (i > blocks.size())
    throw UserError(fmt::format("the last answer has {} code block{}", blocks.size(),
                                blocks.size() == 1 ? "" : "s"));
  return blocks[i - 1];
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

}  // namespace

void run_copy(CommandContext& context, const std::string& what) {
  constexpr const char* kUsage = "/copy, /copy N (the N-th answer from the end), /copy code [N]";
  if (!what.starts_with("code")) {
    const int n = count_of(what, 1, kUsage);
    return context.console.copy(answer_at(context.chat, n).content, "the answer");
  }
  const std::size_t space = what.find_first_not_of(' ', 4);
  const std::string number = space == std::string::npos ? "" : what.substr(space);
  const int n = count_of(number, 0, kUsage);
  context.console.copy(code_block(answer_at(context.chat, 1).content, n), "the code block");
}

void run_undo(CommandContext& context, const std::string& n) {
  if (context.chat.messages().empty()) throw UserError("nothing has been said yet");
  context.chat.undo(count_of(n, 1, "/undo [N]"));
  context.console.show_conversation();
}

void run_history(CommandContext& context, const std::string& n) {
  int left = count_of(n, kWholeHistory, "/history [N]");
  int i = 0;
  std::string text;
  for (auto message = context.chat.messages().rbegin();
       message != context.chat.messages().rend() && left > 0; ++message) {
    if (message->role != sessions::Role::user) continue;
    text =
        fmt::format("{:>3}  {}{}{}", ++i, shown_question(*message), text.empty() ? "" : "\n", text);
    --left;
  }
  if (text.empty()) return context.console.notice("Nothing has been asked yet.");
  context.console.notice(text + "\n/edit N asks one of these anew.");
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

}  // namespace confab::app
