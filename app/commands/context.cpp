// SPDX-License-Identifier: MIT
#include "app/commands/context.h"

#include <fmt/format.h>

#include <array>

#include "app/chat/context_report.h"
#include "app/commands/arguments.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/option_table.h"

namespace confab::app {
namespace {

using sessions::Reading;

constexpr const char* kUsage = "/context pin N, drop N or restore N (N: a question, by its number)";

void tell_memory(CommandContext& context) {
  context.console.show_memory();
  context.console.notice(memory_notice(context.chat));
}

// The index in messages() of the question with this number. Throws UserError.
std::size_t place_of(const Chat& chat, std::size_t number) {
  std::size_t n = 0;
  const auto said = chat.messages();
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].role == sessions::Role::user && ++n == number) return i;
  throw UserError(fmt::format("no question {}; /context lists them", number));
}

void show_note(CommandContext& context) {
  const std::string& note = context.chat.memory().note;
  if (note.empty())
    throw UserError("no note; /context note TEXT writes one on what the model no longer reads");
  context.console.show_text("Note", note);
}

// On a screen, /context note edit opens the existing note.
void run_note(CommandContext& context, const std::string& text) {
  if (text.empty()) return show_note(context);
  require_idle(context, "the note");
  if (text == "edit")
    return context.console.ask_line("Note:", context.chat.memory().note,
                                    [&context](const std::string& line) {
                                      context.chat.set_note(line);
                                      tell_memory(context);
                                    });
  context.chat.set_note(text == "none" ? "" : text);
  tell_memory(context);
}

void run_context(CommandContext& context, const std::string& text) {
  std::string rest = text;
  const std::string what = take_word(rest);
  if (what.empty() && context.chat.messages().empty())
    return context.console.notice("Nothing has been said yet.");
  if (what.empty() && !context.chat.generating() && context.console.choose(PickerKind::context))
    return;
  if (what.empty()) return context.console.show_text("Context", describe_context(context.chat));
  if (what == "note") return run_note(context, rest);
  if (what != "pin" && what != "drop" && what != "restore")
    throw UserError(fmt::format("'{}': expected {}, or note", what, kUsage));
  change_reading(context, what, static_cast<std::size_t>(number_of(rest, 1, kUsage)));
}

void show_overflow(CommandContext& context) {
  context.console.notice(fmt::format("When the context is full: {}.",
                                     describe_overflow(context.chat.context_policy())));
}

void run_overflow(CommandContext& context, const std::string& text) {
  if (text.empty()) return show_overflow(context);
  require_idle(context, "/overflow");
  const Option& row = *find_option("overflow");
  ChatOptions options;
  const std::vector<std::string> texts{text};
  const std::string fault = put_value(row.value, options, texts, Origin::chat);
  if (!fault.empty() || is_of_question(options.overflow))
    throw UserError(fmt::format("/overflow must be shift, summarise or stop, not {}", text));
  context.chat.set_overflow(options.overflow);
  remember(context, row.key, value_texts(row.value, options).front());
  show_overflow(context);
  make_room(context);
}

void go_on(CommandContext& context) {
  if (!context.chat.go_on_with_room())
    throw UserError("nothing more can go: this question and its answer fill the context");
  context.console.show_answer();
  context.console.notice(
      "The context was full: the oldest questions went, and the answer goes on.");
}

// The model reads the rest again while the person returns to the question.
void let_go(CommandContext& context) {
  if (!context.chat.let_go()) throw UserError("nothing more can go");
  context.chat.prepare("");
  tell_memory(context);
}

// Asks what to do, for people who chose to be asked.
void ask_about_room(CommandContext& context, const AnswerOutcome& outcome) {
  const std::string full =
      fmt::format("The context of {} tokens is full.", grouped(context.chat.model_info().n_ctx));
  constexpr const char* kInstead = "/overflow shift lets the oldest questions go";
  if (outcome.end == AnswerEnd::context_full)
    context.console.confirm(
        full + " Let the oldest questions go, and go on?", [&context] { go_on(context); },
        kInstead);
  else if (outcome.too_long && !context.chat.messages().empty())
    context.console.confirm(
        full + " Let the oldest questions go, to ask again?", [&context] { let_go(context); },
        kInstead);
}

constexpr auto kCommands = std::to_array<Command>({
    {"/context", "", "[pin|drop|restore N|note]",
     "show what the model reads, and pin, drop or restore questions", true, run_context},
    {"/overflow", "", "[shift|summarise|stop]", "show or set what happens when the context is full",
     true, run_overflow},
});

// Asks the model for a summary; a new conversation then continues from it.
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

constexpr auto kRoomCommands = std::to_array<Command>({
    {"/compact", "/compress", "", "start a new conversation from a summary of this one", false,
     run_compact, Completion::nothing, WhenChosen::is_written},
    {"/forget", "", "[N]", "make the model forget the first N questions", false, run_forget,
     Completion::nothing, WhenChosen::is_written},
});

}  // namespace

void make_room(CommandContext& context) {
  attempt(context, [&context] {
    const bool noted = context.chat.is_noting();
    if (context.chat.make_room()) return tell_memory(context);
    if (!noted && context.chat.is_noting())
      context.console.notice(
          "Writing a note on the oldest questions, to make room; you can ask on meanwhile.");
  });
}

void make_room(CommandContext& context, const AnswerOutcome& outcome, std::size_t n_answers) {
  const bool asks = context.chat.context_policy().overflow == Overflow::stop;
  if (asks) return ask_about_room(context, outcome);
  if (outcome.is_aside() || outcome.end == AnswerEnd::failed) return;
  if (outcome.end == AnswerEnd::context_full && n_answers < 2)
    attempt(context, [&context] {
      if (!context.chat.go_on_with_room()) return;
      context.console.show_answer();
      context.console.notice(
          "The context was full: the oldest questions went, and the answer goes on.");
    });
  if (!context.chat.generating()) make_room(context);
}

void change_reading(CommandContext& context, const std::string& what, std::size_t question) {
  require_idle(context, "/context " + what);
  Chat& chat = context.chat;
  const std::size_t at = place_of(chat, question);
  const bool was_pinned = chat.messages()[at].reading == Reading::pinned;
  const auto is_gone = [&] { return !is_read(chat.messages())[at]; };
  chat.set_reading(at, what == "pin"    ? Reading::pinned
                       : what == "drop" ? Reading::dropped
                                        : Reading::usual);
  // The question had left the context by itself and would leave again, so it is pinned.
  if (what == "restore" && !was_pinned && is_gone()) chat.set_reading(at, Reading::pinned);
  chat.prepare("");
  context.console.show_memory();
  const char* text = what == "drop" ? "is dropped: the model no longer reads it"
                     : chat.messages()[at].reading == Reading::pinned
                         ? "is pinned: the model always reads it with its answer"
                     : is_gone() ? "is no longer pinned, and has gone with the oldest"
                                 : "is read as long as there is room";
  context.console.notice(fmt::format("Question {} {}.", question, text));
}

std::span<const Command> context_commands() noexcept {
  return kCommands;
}

void tell_summary(CommandContext& context, const std::string& summary) {
  context.console.show_conversation();
  context.console.notice(
      fmt::format("A new conversation that begins with this summary of the last one (which is "
                  "still in /list):\n{}",
                  summary));
}

std::span<const Command> compact_commands() noexcept {
  return kRoomCommands;
}

}  // namespace confab::app
