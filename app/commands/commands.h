// SPDX-License-Identifier: MIT
// The commands of the chat: one table with name, help and handler, from which /help, completion and
// the manual page are made. Each family of commands has a file, with its rows and handlers.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/chat/answer_loop.h"
#include "app/chat/chat.h"
#include "app/commands/console.h"
#include "app/commands/model.h"
#include "app/commands/pasted_paths.h"
#include "app/commands/route.h"
#include "app/paths.h"
#include "app/remembered.h"
#include "sessions/conversations/store.h"
#include "ui/input/completion_menu.h"

namespace confab::app {

class AwaitedEngine;
struct Backend;

struct CommandContext;

enum class Completion { nothing, conversations, files, models, themes, settings, parts, routes };

// What happens when a command is chosen from a list, without an argument: it runs, or, where it
// writes, deletes or changes something, or is of no use so, it stands in the input to be gone on
// with.
enum class WhenChosen { runs, is_written };

struct Command {
  std::string_view name;       // with its slash
  std::string_view aliases;    // separated by spaces
  std::string_view arguments;  // as help shows them
  std::string_view help;
  bool while_generating;
  void (*run)(CommandContext& context, const std::string& argument);
  Completion completion = Completion::nothing;  // of the argument
  WhenChosen when_chosen = WhenChosen::runs;
};

struct CommandContext {
  Chat& chat;
  sessions::Store* store;  // nullptr: nothing is saved
  Console& console;
  Backend* backend = nullptr;                       // null: the model cannot be changed
  const Paths* paths = nullptr;                     // null: nothing is looked for on the disk
  std::vector<sessions::Attachment> attached = {};  // to the next question
  std::size_t n_sent_along = 0;                     // of them, with the last question
  PastedPaths pasted = {};                          // into the input, in this run
  Remembered remembered{""};                        // what is chosen, for the next time
  std::vector<sessions::ConversationId> forked_from = {};  // for /pop, the last one at the end
  Routing routing = {};
  Pulling pulling = {};
};

struct CommandGroup {
  std::string_view title;
  std::vector<Command> commands;
};

std::span<const CommandGroup> command_groups();  // in the order of /help
std::span<const Command> commands();             // of all groups
// What it is called, its name first.
std::vector<std::string_view> all_names(const Command& command);
const Command* find_command(std::string_view name);  // or alias; null: there is none

// Calls f; what it throws as an error of the person's, the database's or the model's is told to the
// console.
void attempt(CommandContext& context, const std::function<void()>& f);
// Keeps a choice for the next time; none: there is no choice any more.
void remember(CommandContext& context, std::string_view key,
              const std::optional<Remembered::Value>& value);
// That the model which was chosen is waited for of; nullptr: none is.
AwaitedEngine* awaited_engine(const CommandContext& context) noexcept;
// Throws UserError "WHAT: an answer is being written; ..." when it is, and where an engine is
// waited for.
void require_idle(const CommandContext& context, std::string_view what);

// An answer has ended that does not stand in the conversation: a question that did not fit goes
// back into the input with its files, and a summary is told.
void end_aside(CommandContext& context, const AnswerOutcome& outcome);
// Leaves the chat; where something could not be saved, only if the person says so.
void leave_chat(CommandContext& context);

// True when `text` is for us and not for the model: it is a slash, which lets a person choose a
// command, or begins with a slash and a letter and has one line (but the text that /edit takes may
// have several). Absolute paths ("/etc/hosts is ...") are text, since they have a further slash.
bool is_command(std::string_view text) noexcept;
// Whether it can only run when no answer is being written.
bool must_wait(std::string_view text) noexcept;
// Runs it. What goes wrong is told to the console; nothing is sent to the model.
void run_command(CommandContext& context, const std::string& text);
// Whole replacements for `word`: command names at the start of a line, titles behind commands that
// take one, files for @path.
std::vector<ui::Candidate> complete(CommandContext& context, std::string_view before,
                                    std::string_view word);

}  // namespace confab::app
