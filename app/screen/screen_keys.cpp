// SPDX-License-Identifier: MIT
// The part of ChatScreen that handles keys and clicks.
#include "app/commands/route.h"
#include "app/screen/chat_screen.h"
#include "ui/transcript/transcript_window.h"

namespace confab::app {

void ChatScreen::take_key(const ui::Key& key) {
  news_.forget_line();
  const std::optional<ui::Command> command = ui::command_for(key);
  const bool always = command == ui::Command::suspend || command == ui::Command::redraw;
  if (command != ui::Command::interrupt) interrupt_.forget();
  if (command != ui::Command::cancel) escape_.forget();
  if (is_quiet())
    quiet_from_ = host_.now();
  else if (dialog_ && !always)
    return end_dialog(dialog_->feed(key));
  if (focus_.active() && command != ui::Command::interrupt && focus_.feed(key)) return;
  if (reads_news(key)) return;
  if (palette_.is_open() && feed_palette(key)) return;
  if (command && take_command(*command)) return;
  if (focus_.active()) return;
  if (goes_to_messages(key)) return focus_.enter();
  if (edit_waiting(key) || turns_answers(key)) return;
  if (asks_for_keys(key)) return run_command(context_, "/help");
  const ui::InputResult result = input_.feed(key);
  palette_.follow(key, input_.text());
  if (result.end) leave_chat(context_);
  if (result.edit) edit_draft();
  if (result.submitted) submit(*result.submitted);
}

// A click on a list row acts like Enter there.
void ChatScreen::take_click(const ui::Click& click) {
  if (dialog_) return end_dialog(dialog_->feed(click));  // clicks go to the dialog
  if (!palette_.is_open() || rows_.value == 0) return;
  const auto place = ui::menu_row_at(view(), rows_, cols_, click);
  if (!place) return;
  focus_.leave();
  palette_.move_to(*place);
  take_key({.code = ui::Key::Code::enter, .bytes = "\r"});
}

void ChatScreen::edit_draft() {
  attempt(context_, [this] { input_.set_text(host_.edit(std::string(input_.text()))); });
}

void ChatScreen::end_dialog(const std::optional<ScreenDialog::End>& end) {
  if (!end) return;
  dialog_.reset();  // the action may open another dialog, before the waiting ones
  quiet_from_.reset();
  (*end)();
}

// Returns false if the input should get the key.
bool ChatScreen::feed_palette(const ui::Key& key) {
  const auto result = palette_.feed(key, input_.text());
  if (!result) return false;
  if (result->text) input_.set_text(result->submits ? "" : *result->text);
  if (result->submits) submit(*result->text);
  return true;
}

// Enter and Escape confirm that everything has been read. If there was something unread, Escape
// does nothing else, unless an answer is being written.
bool ChatScreen::reads_news(const ui::Key& key) {
  const bool escape = key.code == ui::Key::Code::escape;
  if (!escape && key.code != ui::Key::Code::enter) return false;
  const bool unread = news_.has_unread();
  news_.read();
  return unread && escape && !chat_.generating();
}

// Up brings back the waiting questions, the last first; after that, it moves in the history.
bool ChatScreen::edit_waiting(const ui::Key& key) {
  if (key.code != ui::Key::Code::up || key.shift || key.ctrl || !input_.text().empty())
    return false;
  const auto waiting = waiting_.take_last();
  if (!waiting) return false;
  input_.set_text(waiting->text);
  attach_again(waiting->files);
  return true;
}

// While several answers are being written and the input is empty, the arrows switch between them.
// After stopping one, the next is selected, as a person who stops an answer does not want to
// continue with it.
bool ChatScreen::turns_answers(const ui::Key& key) {
  const std::size_t n = chat_.n_answers(), at = chat_.chosen();
  if (n < 2 || !input_.text().empty() || key.shift || key.ctrl || key.alt) return false;
  std::size_t next = (at + 1) % n;
  if (key.code == ui::Key::Code::del) {
    chat_.stop(at);
    while (next != at && !chat_.is_writing(next)) next = (next + 1) % n;
  } else if (key.code == ui::Key::Code::left) {
    next = (at + n - 1) % n;
  } else if (key.code != ui::Key::Code::right) {
    return false;
  }
  chat_.choose(next);
  answer_.turn_to(next);
  return true;
}

bool ChatScreen::asks_for_keys(const ui::Key& key) const {
  return key.code == ui::Key::Code::character && key.character == U'?' && !key.ctrl && !key.alt &&
         input_.text().empty();
}

// In an empty input, Tab has nothing to complete.
bool ChatScreen::goes_to_messages(const ui::Key& key) const {
  return key.code == ui::Key::Code::tab && !key.shift && !key.alt && input_.text().empty();
}

// Returns false if the line editor should get the key as well.
bool ChatScreen::take_command(ui::Command command) {
  switch (command) {
    case ui::Command::interrupt:
      interrupt();
      return true;
    case ui::Command::cancel:
      return cancel();
    case ui::Command::suspend:
      host_.suspend();
      return true;
    case ui::Command::redraw:
      host_.redraw();
      return true;
    case ui::Command::focus:
      focus_.enter();
      return true;
    case ui::Command::open:
      if (input_.expand_paste()) return true;
      transcript_.open_reasoning(!transcript_.reasoning_open());
      looks_back_ = transcript_.reasoning_open() && !chat_.generating();
      return true;
    case ui::Command::think:
      run_command(context_, "/think");
      return true;
    case ui::Command::raw:
      transcript_.show_raw(!transcript_.raw());
      looks_back_ = transcript_.raw();
      return true;
    default:
      if (!ui::scroll(transcript_view_.window(), command)) return false;
      looks_back_ = !transcript_view_.window().at_bottom();
      return true;
  }
}

// Stops the answer. Pressed twice in an empty input, takes the last question back to be edited.
bool ChatScreen::cancel() {
  if (stop_awaiting()) return true;
  if (chat_.generating() && !input_.vi_mode()) {
    chat_.stop();
    return true;
  }
  if (editing_ && !input_.vi_mode()) {
    leave_editing();
    return true;
  }
  if (!input_.text().empty() || !input_.message().empty() || input_.vi_mode()) return false;
  if (!escape_.press(host_.now())) return true;
  attempt(context_, [&] { edit_question(chat_.question_of(chat_.messages().size() - 1)); });
  return true;
}

// An edited text stays in the input, as a new question.
void ChatScreen::leave_editing() {
  const std::size_t question = *std::exchange(editing_, {});
  const auto messages = chat_.messages();
  if (question < messages.size() && input_.text() == messages[question].content) input_.clear();
}

// Ctrl+C stops the answer, else clears the input, else asks for a second press and then leaves.
void ChatScreen::interrupt() {
  if (context_.routing.pending) {
    forget_class(context_);
  } else if (stop_awaiting()) {
    return;
  } else if (chat_.generating()) {
    chat_.stop();
    if (waiting_.size() == 0) return;
    WaitingQuestion waiting = waiting_.take_back(input_.text());
    input_.set_text(waiting.text);
    attach_again(std::move(waiting.files));
  } else if (focus_.active()) {
    focus_.leave();
  } else if (!input_.text().empty() || !input_.message().empty()) {
    input_.clear();
    palette_.close();
    editing_.reset();
  } else if (interrupt_.press(host_.now())) {
    leave_chat(context_);
  } else {
    notice("Press Ctrl+C again to leave, or Ctrl+D.");
  }
}

}  // namespace confab::app
