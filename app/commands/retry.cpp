// SPDX-License-Identifier: MIT
#include "app/commands/retry.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "app/commands/arguments.h"
#include "app/commands/route.h"
#include "app/error.h"
#include "app/parameters.h"

namespace confab::app {
namespace {

// The index of the N-th question from the end. Throws UserError.
std::size_t question_at(const Chat& chat, std::size_t n) {
  for (std::size_t i = chat.messages().size(); i-- > 0;)
    if (chat.messages()[i].role == sessions::Role::user && --n == 0) return i;
  throw UserError("no such question; /history lists them");
}

// The chat's options with one parameter changed by "NAME VALUE". Throws UserError.
AnswerOptions options_with(const CommandContext& context, const std::string& setting) {
  AnswerOptions options = options_of(context);
  std::string value = setting;
  const std::string name = take_word(value);
  const Parameter* parameter = find_set_parameter(name);
  if (parameter == nullptr) throw UserError(fmt::format("no setting '{}'; /set lists them", name));
  if (value.empty())
    throw UserError(fmt::format("/retry {} needs a value: /retry {} VALUE", name, name));
  const std::string fault = set_parameter(*parameter, options, value, Origin::chat);
  if (!fault.empty()) throw UserError(fmt::format("{} {}", name, fault));
  return options;
}

// Takes the number of answers off the text if its first word is a number; else returns 1. Throws
// UserError.
int take_number(std::string& text) {
  std::string rest = text;
  const std::string word = take_word(rest);
  int n = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, n);
  if (word.empty() || stop != end) return 1;
  if (error != std::errc{} || n < 1 || n > kMaxAnswers)
    throw UserError(
        fmt::format("/retry N writes 2 to {} answers at once, not {}", kMaxAnswers, word));
  text = rest;
  return n;
}

void run_retry(CommandContext& context, const std::string& text) {
  std::string setting = text;
  const int n_answers = take_number(setting);
  AnswerOptions options = setting.empty() ? options_of(context) : options_with(context, setting);
  options.n_answers = n_answers;
  context.chat.retry({}, options);
  context.console.show_answer();
}

void run_edit(CommandContext& context, const std::string& text) {
  std::size_t n = 1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  if (text.empty() || (error == std::errc{} && stop == end && n > 0))
    return context.console.edit_question(question_at(context.chat, n));
  context.chat.edit(edited_question(context, text, std::nullopt));
  context.console.show_answer();
}

void run_undo(CommandContext& context, const std::string& n) {
  if (context.chat.messages().empty()) throw UserError("the conversation is still empty");
  context.chat.undo(count_of(n, 1, "/undo [N]"));
  context.console.show_conversation();
}

constexpr auto kCommands = std::to_array<Command>({
    {"/retry", "/regenerate /regen", "[N] [KEY VALUE]",
     "ask the last question again, for N answers or with one setting changed", false, run_retry,
     Completion::settings, WhenChosen::is_written},
    {"/edit", "", "[N|TEXT]", "change the last question, or the N-th last, and ask again", false,
     run_edit},
    {"/continue", "", "", "continue an answer that was cut off", false, run_continue,
     Completion::nothing, WhenChosen::is_written},
    {"/undo", "", "[N]", "take back the last N questions", false, run_undo, Completion::nothing,
     WhenChosen::is_written},
});

}  // namespace

void run_continue(CommandContext& context, const std::string&) {
  context.chat.continue_answer();
  context.console.show_answer();
}

std::span<const Command> retry_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
