// SPDX-License-Identifier: MIT
// The commands of the chat: one table with name, help and handler, from which /help, completion and
// the manual page are made. Each family of commands has a file, with its rows and handlers; /help
// and /exit are here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/chat/answer_loop.h"
#include "app/chat/chat.h"
#include "app/commands/command.h"

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

// What is done about a person who types "exit" to leave, as in a shell.
inline constexpr const char* kToLeave = "To leave: /exit or Ctrl+D.";

class BareExit {
 public:
  // What to tell instead of asking the model, when the text is a bare "exit" or "quit" before
  // anything was said. Empty: ask; the same word again goes to the model.
  std::string advice(const Chat& chat, const std::string& text);

 private:
  std::string told_;  // the word that was asked about
};

// True when `text` is for us and not for the model: it is a slash, which lets a person choose a
// command, or begins with a slash and a letter and has one line (but the text that /edit takes may
// have several). Absolute paths ("/etc/hosts is ...") are text, since they have a further slash.
bool is_command(std::string_view text) noexcept;
// Whether it can only run when no answer is being written.
bool must_wait(std::string_view text) noexcept;
// Runs it. What goes wrong is told to the console; nothing is sent to the model.
void run_command(CommandContext& context, const std::string& text);

}  // namespace confab::app
