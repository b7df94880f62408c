// SPDX-License-Identifier: MIT
// The front end, as commands see it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "app/read_beside.h"
#include "ui/theme.h"

namespace confab::app {

// Returns true if the line typed after a question means yes: "y" or "yes", in any case.
bool says_yes(std::string_view line);

enum class PickerKind { conversation, model, theme, context };

// The actions that a command may take on the front end it was typed in.
class Console {
 public:
  virtual ~Console() = default;
  virtual void notice(const std::string& text) = 0;
  virtual void error(const std::string& text) = 0;
  // Shows something that happened in the background while the person did something else.
  virtual void announce(const std::string& text) { notice(text); }
  virtual void show_conversation() = 0;  // another one is open: show it from its start
  // The model has started an answer that does not follow a new question. Shows the messages before
  // it, then the answer as it is written.
  virtual void show_answer() = 0;
  virtual void quit() = 0;

  // Shows a text that is longer than a notice. Lines that end in a colon are headings.
  virtual void show_text(const std::string& title, const std::string& text);

  // Returns a function for read_beside(). It shows that `what` is being read, from its first call
  // until it is destroyed, and throws ReadingStopped if the person cancels.
  virtual WhileReading watch_reading(const std::string& what);

  // Copies the text to the clipboard and reports how, and how long it is. `what` describes it: "the
  // answer". Offers to save it to a file if copying is impossible.
  virtual void copy(const std::string& text, const std::string& what);

  // The functions below need a screen. Without one, they report that or do the next best thing.
  // The model now reads another part of the open conversation.
  virtual void show_memory() {}
  // Lets the person choose from a list. Returns false if this front end has no lists.
  virtual bool choose(PickerKind choice);
  // Asks for a short text and calls `done` with it, unless the person cancels. Errors thrown by
  // `done` are shown.
  virtual void ask_line(const std::string& label, const std::string& text,
                        std::function<void(const std::string&)> done);
  // Asks a yes/no question ("notes.md exists. Overwrite it?") and calls `yes` or `no`, at once or
  // later. Errors thrown by them are shown. If nobody can be asked, the answer is no, and an error
  // reports that with `instead`, what to do instead ("give another name").
  virtual void confirm(const std::string& question, std::function<void()> yes,
                       const std::string& instead = {}, std::function<void()> no = {});
  // A question could not be asked and is no longer in the conversation. Removes it from view and
  // puts its text back into the input. `question` is empty if the failed answer was another one to
  // an earlier question.
  virtual void take_back(const std::string& question);
  // Puts a question back into the input to be edited. When it is sent, it replaces the original.
  virtual void edit_question(std::size_t message);
  virtual void search_conversation();
  virtual bool set_theme(const ui::Theme& theme);  // false: this front end has no colours
  virtual void open_reasoning(bool open);
  virtual std::string keys() const;  // the keys that work here, for /help

 protected:
  void save_instead(const std::string& text);  // offers a file if copying is impossible
};

// "the answer (1,234 characters)".
std::string with_length(const std::string& what, std::string_view text);

// The file extension for code in this language (".py"), or ".txt" for an unknown language.
std::string extension_of(std::string_view language);

// Writes a file under the name that the person gives, by the rules of app/save_file.h, and reports
// it. Asks first if the file exists. Throws UserError.
void save_text(Console& console, const std::string& path, std::string text);

}  // namespace confab::app
