// SPDX-License-Identifier: MIT
// The commands of the chat: one table with name, help and handler, from which /help and completion
// are made.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/chat.h"
#include "sessions/store.h"

namespace confab::app {

enum class Choice { conversation, model, theme, command };

// What a command may do to the front end that it was typed in.
class Console {
 public:
  virtual ~Console() = default;
  virtual void notice(const std::string& text) = 0;
  virtual void error(const std::string& text) = 0;
  virtual void show_conversation() = 0;  // the open one has changed: show it from its start
  // The model has begun an answer other than to a new question: show what there is before it, then
  // the answer as it comes.
  virtual void show_answer() = 0;
  virtual void quit() = 0;

  // What only a screen has; without one these tell that, or do the next best thing.
  virtual void copy(const std::string& text, const std::string& what);  // to the clipboard
  // Lets a person choose from a list. False: this front end has none.
  virtual bool choose(Choice choice);
  // Asks for a short text, and calls back with it unless the person leaves.
  virtual void ask_line(const std::string& label, const std::string& text,
                        std::function<void(const std::string&)> done);
  // Puts a question back to be written anew; when it is sent, it is asked instead.
  virtual void edit_question(std::size_t message);
  virtual void search_conversation();
};

struct CommandContext {
  Chat& chat;
  sessions::Store* store;  // nullptr: nothing is saved
  Console& console;
  std::filesystem::path kv = {};  // where the prompt cache is; empty: nowhere
  std::string to_delete = {};     // what /delete has asked to be confirmed
};

struct Command {
  std::string_view name;       // with its slash
  std::string_view aliases;    // separated by spaces
  std::string_view arguments;  // as help shows them
  std::string_view help;
  bool while_generating;
  void (*run)(CommandContext& context, const std::string& argument);
};

std::span<const Command> commands() noexcept;

// Calls f; what it throws as an error of the person's, the database's or the model's is told to the
// console.
void attempt(CommandContext& context, const std::function<void()>& f);
// Throws UserError "WHAT: an answer is being written; ..." when it is.
void require_idle(const CommandContext& context, std::string_view what);

// True when `text` is for us and not for the model: it begins with a slash and a letter and has one
// line (but the text that /edit takes may have several). Absolute paths ("/etc/hosts is ...") are
// text, since they have a further slash.
bool is_command(std::string_view text) noexcept;
// Runs it. What goes wrong is told to the console; nothing is sent to the model.
void run_command(CommandContext& context, const std::string& text);
// Whole replacements for `word`: command names at the start of a line, titles behind commands that
// take one.
std::vector<std::string> complete(CommandContext& context, std::string_view before,
                                  std::string_view word);

}  // namespace confab::app
