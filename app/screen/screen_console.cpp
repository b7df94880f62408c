// SPDX-License-Identifier: MIT
// The part of ChatScreen that implements Console.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/screen/chat_screen.h"
#include "app/screen/pickers.h"
#include "app/screen/show_messages.h"

namespace confab::app {

// A single line disappears by itself. A longer text opens over the conversation, which does not
// change.
void ChatScreen::notice(const std::string& text) {
  changed_ = true;
  if (text.find('\n') == std::string::npos) return news_.tell(text, host_.now());
  show_text("", text);
}

void ChatScreen::show_text(const std::string& title, const std::string& text) {
  open({ui::Overlay(title, text), {}});
}

// A dialog never replaces another, which may be the one that opens this.
void ChatScreen::open(ScreenDialog dialog) {
  changed_ = true;
  if (dialog_) return later_.push_back(std::move(dialog));
  dialog_.emplace(std::move(dialog));
  // A dialog that opens by itself must not take keys meant for the input.
  if (!acts_) quiet_from_ = host_.now();
}

void ChatScreen::open_next() {
  if (dialog_ || later_.empty()) return;
  dialog_.emplace(std::move(later_.front()));
  later_.pop_front();
  quiet_from_ = host_.now();
  changed_ = true;
}

void ChatScreen::error(const std::string& text) {
  changed_ = true;
  news_.fault(text);
}

WhileReading ChatScreen::watch_reading(const std::string& what) {
  const std::shared_ptr<ChatScreen> told(this, [](ChatScreen* it) { it->tell_held_up(""); });
  return [told, what] {
    told->tell_held_up("reading " + what);
    if (told->host_.is_stopped()) throw ReadingStopped(what);
  };
}

void ChatScreen::announce(const std::string& text) {
  changed_ = true;
  news_.warn(text);
}

void ChatScreen::show_conversation() {
  if (n_opened_) transcript_view_.settled().skip(*n_opened_);
  transcript_.clear();
  editing_.reset();
  know_speed();
  show_messages(transcript_, chat_);
  label_messages(transcript_, context_);
  n_opened_ = transcript_.layout().items.size();
  changed_ = true;
}

void ChatScreen::show_memory() {
  label_messages(transcript_, context_);
  changed_ = true;
}

// When an answer replaces another, the view stays where it was.
void ChatScreen::show_answer() {
  const auto view = transcript_view_.window().view();
  show_conversation();
  transcript_view_.settled().skip_to_question();
  begin_answer();
  const bool goes_on = !chat_.messages().back().content.empty();
  if (goes_on) return transcript_view_.window().await(view);
  transcript_view_.window().restore(view);
}

void ChatScreen::copy(const std::string& text, const std::string& what) {
  const std::string safe = ui::sanitize(text, ui::SafeFor::copying);
  const Copied copied = host_.copy(safe);
  const std::string named = with_length(what, safe);
  if (copied.to == Copied::To::nowhere) return save_instead(safe);
  if (copied.to == Copied::To::terminal)
    return notice(fmt::format("Asked the terminal to copy {}.", named));
  notice(fmt::format("Copied {} with {}.", named, copied.program));
}

void ChatScreen::ask_line(const std::string& label, const std::string& text,
                          std::function<void(const std::string&)> done) {
  const auto tell = [this, done = std::move(done)](const std::string& line) {
    attempt(context_, [&] { done(line); });
  };
  open({ui::PromptLine(label, text), {.done = tell}});
}

void ChatScreen::confirm(const std::string& question, std::function<void()> yes, const std::string&,
                         std::function<void()> no) {
  ScreenDialog::Actions actions{.done = [this, yes](const auto&) { attempt(context_, yes); }};
  if (no) actions.left = [this, no] { attempt(context_, no); };
  open({ui::YesNo(question), std::move(actions)});
}

// If a changed question was refused, the input still replaces the original.
void ChatScreen::take_back(const std::string& question) {
  show_conversation();
  put_back(question);
  editing_ = std::exchange(asked_instead_, {});
}

// Text that was typed in the meantime follows the question.
void ChatScreen::put_back(const std::string& question) {
  const std::string written(input_.text());
  const char* space = question.empty() || written.empty() ? "" : "\n\n";
  input_.set_text(question + space + written);
  changed_ = true;
}

void ChatScreen::edit_question(std::size_t message) {
  editing_ = message;
  input_.set_text(chat_.messages()[message].content);
  changed_ = true;
}

bool ChatScreen::choose(PickerKind choice) {
  open(picker_for(choice, context_,
                  {.theme = host_.theme().name,
                   .restore_theme = [this, before = host_.theme()] { host_.set_theme(before); }}));
  return true;
}

void ChatScreen::open_reasoning(bool open) {
  transcript_.open_reasoning(open);
  changed_ = true;
}

void ChatScreen::search_conversation() {
  ScreenDialog::Actions actions{
      .done =
          [this](const std::string& words) {
            if (words.empty()) transcript_view_.search().find("");
          },
      .changed = [this](const std::string& words) { transcript_view_.search().find(words); },
      .left = [this] { transcript_view_.search().find(""); }};
  open({ui::PromptLine("Search:"), std::move(actions)});
}

}  // namespace confab::app
