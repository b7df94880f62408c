// SPDX-License-Identifier: MIT
// The commands of the chat: one table with name, help and handler, from which /help, completion and
// the manual page are made. Each family of commands has a file, with its rows and handlers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/chat/answer_loop.h"
#include "app/commands/command.h"
#include "ui/input/completion_menu.h"

namespace confab::app {

struct CommandGroup {
  std::string_view title;
  std::vector<Command> commands;
};

std::span<const CommandGroup> command_groups();      // in the order of /help
std::span<const Command> commands();                 // of all groups
const Command* find_command(std::string_view name);  // or alias; null: there is none

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
