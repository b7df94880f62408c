// SPDX-License-Identifier: MIT
// The commands of the chat: one table with name, help and handler. /help, completion and the manual
// page are made from it. Each family of commands has a file with its rows and handlers; /help and
// /exit are in this one.
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
const Command* find_command(std::string_view name);  // by name or alias; nullptr if unknown

// Handles the end of an answer that is not part of the conversation: a question that did not fit
// goes back into the input with its files; a summary is shown.
void end_aside(CommandContext& context, const AnswerOutcome& outcome);
// Leaves the chat. Asks first if something could not be saved.
void leave_chat(CommandContext& context);

// A reply for a person who types "exit" or "quit" to leave, as in a shell.
inline constexpr const char* kToLeave = "To leave: /exit or Ctrl+D.";

class BareExit {
 public:
  // The advice to show instead of asking the model, if `text` is a bare "exit" or "quit" and
  // nothing has been said yet. Returns "" if the model should be asked, as it is when the same word
  // comes again.
  std::string advice(const Chat& chat, const std::string& text);

 private:
  std::string told_;  // the word that got the advice last
};

// Returns true if `text` is meant for confab and not for the model: a lone slash, which opens the
// list of commands, or a slash followed by a name, on one line (only the text of /edit may have
// several). A text with a second slash in its first word ("/etc/hosts is ...") is not a command.
bool is_command(std::string_view text) noexcept;
// Returns true if the command can only run while no answer is being written.
bool must_wait(std::string_view text) noexcept;
// Runs the command and shows any error in the console. Nothing is sent to the model.
void run_command(CommandContext& context, const std::string& text);

}  // namespace confab::app
