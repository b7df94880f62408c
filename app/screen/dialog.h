// SPDX-License-Identifier: MIT
// What stands over the chat and takes the keys until it is left: a list, a line to fill in, or a
// question for yes or no.
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
  // Keys of entries for a list, the text for a line, nothing for a question (which is left with a
  // no). Empty functions are not called.
  struct Actions {
    std::function<void(const std::string&)> done;
    std::function<void(const std::string&)> changed = {};  // another entry, or text
    std::function<void()> left = {};
  };
  // What is to be done when the dialog is over, and the dialog gone.
  using End = std::function<void()>;

  ScreenDialog(ui::Picker picker, Actions actions);
  ScreenDialog(ui::PromptLine line, Actions actions);
  ScreenDialog(ui::YesNo question, Actions actions);
  ScreenDialog(ui::Overlay text, Actions actions);  // only ever left

  // Engaged: it is over.
  std::optional<End> feed(const ui::Key& key);
  std::optional<End> feed(const ui::Click& click);  // which chooses in a list
  void paste(std::string_view text);
  // A list or a text takes the whole frame, what else there is the last rows.
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
