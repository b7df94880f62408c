// SPDX-License-Identifier: MIT
// Actions on messages: the keys while the transcript has the focus.
#pragma once

#include <span>
#include <string_view>

#include "app/commands/commands.h"
#include "app/commands/focus_keys.h"
#include "ui/event.h"
#include "ui/transcript/transcript_view.h"

namespace confab::app {

class MessageActions {
 public:
  // Both must outlive this object.
  MessageActions(ui::TranscriptView& view, CommandContext& context)
      : view_(view), context_(context) {}

  void enter();  // focuses the last message in view
  void leave();
  bool active() noexcept { return view_.focus().item() != nullptr; }
  // Acts on a key while active. Returns false if the key means nothing here.
  bool feed(const ui::Key& key);
  // A line about the focused message or part and the keys that act on it; "" if nothing has the
  // focus.
  std::string hint();

 private:
  void act(FocusAction action);
  void line_up() { view_.window().scroll(-1); }
  void line_down() { view_.window().scroll(1); }
  void half_up() { view_.window().scroll_half(-1); }
  void half_down() { view_.window().scroll_half(1); }
  void top() { view_.window().to_top(); }
  void bottom() { view_.window().to_bottom(); }
  void message_up() { view_.focus().step(-1); }
  void message_down() { view_.focus().step(1); }
  void part_back() { view_.focus().step_part(-1); }
  void part_on() { view_.focus().step_part(1); }
  void fold() { view_.focus().toggle_fold(); }
  void toggle_raw();
  void copy();
  void save();
  void edit();
  void regenerate();
  void go_on();
  void fork();
  void branch_back() { hop(-1); }
  void branch_on() { hop(1); }
  void search();
  void match_back() { step_match(-1); }
  void match_on() { step_match(1); }
  void help();

  std::size_t message() const;
  void hop(int direction);
  void step_match(int direction);
  std::string standing();

  ui::TranscriptView& view_;
  CommandContext& context_;
  std::string told_;  // shown instead of the hint until the next key
};

}  // namespace confab::app
