// SPDX-License-Identifier: MIT
// Something shown over the chat that takes the keys until it is closed: a list, an input line, a
// yes/no question or a text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "ui/input/prompt_line.h"
#include "ui/input/yes_no.h"
#include "ui/transcript/overlay.h"
#include "ui/transcript/picker.h"

namespace confab::app {

class ScreenDialog {
 public:
  // `done` gets the key of an entry from a list, the text from a line, or "" from a question
  // answered with yes (a no calls `left`). Empty functions are not called.
  struct Actions {
    std::function<void(const std::string&)> done;
    // another entry is selected, or the text has changed
    std::function<void(const std::string&)> changed = {};
    std::function<void()> left = {};
  };
  // To be called after the dialog has been destroyed.
  using End = std::function<void()>;

  ScreenDialog(ui::Picker picker, Actions actions);
  ScreenDialog(ui::PromptLine line, Actions actions);
  ScreenDialog(ui::YesNo question, Actions actions);
  ScreenDialog(ui::Overlay text, Actions actions);  // can only be closed

  // Returns a value once the dialog is over.
  std::optional<End> feed(const ui::Key& key);
  std::optional<End> feed(const ui::Click& click);  // chooses in a list
  void paste(std::string_view text);
  // Lists and texts fill the whole frame; lines and questions use its last row.
  void draw(ui::Frame& frame);

 private:
  std::optional<End> feed(ui::Picker& picker, const ui::Key& key);
  std::optional<End> feed(ui::PromptLine& line, const ui::Key& key);
  std::optional<End> feed(ui::YesNo& question, const ui::Key& key);
  std::optional<End> after(ui::Picker& picker, ui::Picker::Outcome outcome);
  std::optional<End> feed(ui::Overlay& text, const ui::Key& key);
  void tell_change();
  End done_with(const std::string& value) const;
  End left() const;

  std::variant<ui::Picker, ui::PromptLine, ui::YesNo, ui::Overlay> widget_;
  Actions actions_;
  std::string told_;
};

}  // namespace confab::app
