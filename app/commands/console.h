// SPDX-License-Identifier: MIT
// The front end as commands see it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "app/read_beside.h"
#include "ui/theme.h"

namespace confab::app {

// Whether a line that was typed at a question says yes: "y" or "yes", in any case.
bool says_yes(std::string_view line);

enum class PickerKind { conversation, model, theme, context };

// What a command may do to the front end that it was typed in.
class Console {
 public:
  virtual ~Console() = default;
  virtual void notice(const std::string& text) = 0;
  virtual void error(const std::string& text) = 0;
  // What has happened by itself, while the person did something else.
  virtual void announce(const std::string& text) { notice(text); }
  virtual void show_conversation() = 0;  // the open one has changed: show it from its start
  // The model has begun an answer other than to a new question: show what there is before it, then
  // the answer as it comes.
  virtual void show_answer() = 0;
  virtual void quit() = 0;

  // What is longer than a notice. Lines that end in a colon are headings.
  virtual void show_text(const std::string& title, const std::string& text);

  // Returns a function for read_beside(). It shows that `what` is being read, from its first call
  // until it is destroyed, and throws ReadingStopped if the person cancels.
  virtual WhileReading watch_reading(const std::string& what);

  // To the clipboard; `what` is "the answer". Tells which way it went and how long it is; where
  // there is no way, it can be saved to a file instead.
  virtual void copy(const std::string& text, const std::string& what);

  // What only a screen has; without one these tell that, or do the next best thing.
  // What the model reads of the open conversation has changed.
  virtual void show_memory() {}
  // Lets a person choose from a list. False: this front end has none.
  virtual bool choose(PickerKind choice);
  // Asks for a short text, and calls back with it unless the person leaves; what is thrown then is
  // told.
  virtual void ask_line(const std::string& label, const std::string& text,
                        std::function<void(const std::string&)> done);
  // Asks what is answered with yes or no ("notes.md exists. Overwrite it?"), and calls back, at
  // once or later, for either; what is thrown then is told. Where nobody can be asked the answer is
  // no, and that is told as an error with what to do instead ("give another name").
  virtual void confirm(const std::string& question, std::function<void()> yes,
                       const std::string& instead = {}, std::function<void()> no = {});
  // A question could not be asked and is not in the conversation any more (empty: another answer to
  // an old one could not): off with what is shown of it, and its text goes back into the input.
  virtual void take_back(const std::string& question);
  // Puts a question back to be written anew; when it is sent, it is asked instead.
  virtual void edit_question(std::size_t message);
  virtual void search_conversation();
  virtual bool set_theme(const ui::Theme& theme);  // false: this front end has no colours
  virtual void open_reasoning(bool open);
  virtual std::string keys() const;  // for help: those that work here

 protected:
  void save_instead(const std::string& text);  // of copying it
};

// "the answer (1,234 characters)".
std::string with_length(const std::string& what, std::string_view text);

// What the name of a file with code in this language ends in: ".py"; ".txt" when it is not known.
std::string extension_of(std::string_view language);

// Writes a file of the name that a person gives, as app/save_file.h has it, and tells so. Asks
// first where there is one of that name. Throws UserError.
void save_text(Console& console, const std::string& path, std::string text);

}  // namespace confab::app
