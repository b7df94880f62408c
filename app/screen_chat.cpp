// SPDX-License-Identifier: MIT
#include "app/screen_chat.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <deque>

#include "app/backend.h"
#include "app/chat.h"
#include "app/commands.h"
#include "app/history.h"
#include "app/pump.h"
#include "app/read_ahead.h"
#include "app/report.h"
#include "app/themes.h"
#include "app/welcome.h"
#include "ui/chat_view.h"
#include "ui/keymap.h"
#include "ui/signals.h"
#include "ui/terminal.h"

namespace confab::app {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFrameInterval{33};       // at most 30 frames a second
constexpr std::chrono::seconds kLeaveWindow{2};  // for the second Ctrl+C
constexpr std::chrono::seconds kStopTimeout{2};  // for the answer to end when leaving

// What can be wrong is found before the terminal is taken over.
struct Opening {
  ui::Theme theme;
  std::optional<sessions::Conversation> conversation;
};

class ScreenChat : public Console {
 public:
  ScreenChat(Backend& backend, ui::Signals& signals, const ChatOptions& options, const Paths& paths)
      : backend_(backend),
        signals_(signals),
        chat_(*backend.model, backend.store.get(), options),
        context_{chat_, backend.store.get(), *this, paths.kv},
        history_(paths.history, options.save) {
    input_.set_history(history_.load());
    input_.set_completer([this](std::string_view before, std::string_view word) {
      return complete(context_, before, word);
    });
  }

  int run(const Opening& opening) {
    terminal_.set_theme(opening.theme);
    if (opening.conversation) chat_.open(*opening.conversation);
    show_conversation();
    tell_notice();
    chat_.prepare("");
    while (!done_) {
      draw_when_due();
      wait_readable({terminal_.input_fd(), backend_.model->wake_fd(), signals_.fd()}, timeout());
      take_signals();
      for (const ui::Event& event : terminal_.read_events()) take_input(event);
      take_answers();
      read_ahead();
    }
    end_answer();
    chat_.save_rest();
    return status_;
  }

  void notice(const std::string& text) override {
    transcript_.add_notice(text);
    dirty_ = true;
  }
  void error(const std::string& text) override {
    transcript_.add_error(text);
    dirty_ = true;
  }
  void quit() override { done_ = true; }

  void show_conversation() override {
    transcript_.clear();
    if (backend_.is_demo) transcript_.add_notice(demo_welcome());
    const auto messages = chat_.messages();
    const std::size_t n_whole = messages.size() - (chat_.generating() ? 1 : 0);
    for (const sessions::Message& message : messages.first(n_whole)) {
      if (!message.reasoning.empty()) transcript_.add_reasoning(message.reasoning);
      if (message.role == sessions::Role::user)
        transcript_.add_user(shown_question(message));
      else
        transcript_.add_answer(message.content);
    }
    if (const std::string note = chat_.unfinished_note(); !note.empty())
      transcript_.add_notice(note);
    transcript_.to_bottom();
    dirty_ = true;
  }

  void show_answer() override {
    show_conversation();
    begin_answer();
  }

 private:
  // --- frames

  std::optional<milliseconds> timeout() const {
    std::optional<milliseconds> wait = terminal_.input_timeout();
    if (dirty_) {
      const auto due = std::chrono::ceil<milliseconds>(drawn_ + kFrameInterval - Clock::now());
      wait = std::max(milliseconds(0), wait ? std::min(*wait, due) : due);
    }
    return wait;
  }

  void draw_when_due() {
    const auto now = Clock::now();
    if (!dirty_ || now - drawn_ < kFrameInterval) return;
    const ui::ScreenSize size = terminal_.size();
    ui::ChatView view{transcript_, input_};
    view.status.left = {chat_.model_info().name};
    if (!queued_.empty()) view.status.left.push_back(fmt::format("{} waiting", queued_.size()));
    view.status.right = status_parts(chat_, progress_, live_tps());
    view.placeholder = "Ask something; /help shows the commands";
    terminal_.draw(ui::draw_chat(view, size.rows, size.cols));
    drawn_ = now;
    dirty_ = false;
  }

  double live_tps() const {
    if (chat_.last()) return chat_.last()->stats.decode_tps();
    const std::chrono::duration<double> since = Clock::now() - first_token_;
    return n_generated_ > 1 && since.count() > 0 ? (n_generated_ - 1) / since.count() : 0;
  }

  // --- what the person does

  void take_input(const ui::Event& event) {
    dirty_ = true;
    if (const auto* key = std::get_if<ui::Key>(&event))
      take_key(*key);
    else if (const auto* paste = std::get_if<ui::Paste>(&event))
      input_.paste(paste->text);
    else
      leave(128 + SIGHUP);
  }

  void take_key(const ui::Key& key) {
    const std::optional<ui::Command> command = ui::command_for(key);
    if (command && take_command(*command, key)) return;
    const ui::InputResult result = input_.feed(key);
    if (result.end) quit();
    if (result.submitted) submit(*result.submitted);
  }

  // False: the line editor should see the key as well.
  bool take_command(ui::Command command, const ui::Key& key) {
    switch (command) {
      case ui::Command::interrupt:
        interrupt();
        return true;
      case ui::Command::cancel:
        if (!chat_.generating() || input_.vi_mode()) return false;
        chat_.stop();
        return true;
      case ui::Command::suspend:
        suspend();
        return true;
      case ui::Command::redraw:
        terminal_.invalidate();
        return true;
      case ui::Command::page_up:
        transcript_.scroll_pages(-1);
        return true;
      case ui::Command::page_down:
        transcript_.scroll_pages(1);
        return true;
      case ui::Command::line_up:
        transcript_.scroll(-1);
        return true;
      case ui::Command::line_down:
        transcript_.scroll(1);
        return true;
      case ui::Command::to_top:
        transcript_.to_top();
        return true;
      case ui::Command::to_bottom:
        transcript_.to_bottom();
        return true;
    }
    return key.bytes.empty();
  }

  // Ctrl+C stops the answer, else clears the input, else asks to leave and then leaves.
  void interrupt() {
    const auto now = Clock::now();
    if (chat_.generating()) {
      chat_.stop();
      queued_.clear();
    } else if (!input_.text().empty() || !input_.message().empty()) {
      input_.clear();
    } else if (now - interrupted_ < kLeaveWindow) {
      leave(0);
    } else {
      interrupted_ = now;
      notice("Ctrl+C again leaves; so does Ctrl+D.");
    }
  }

  void suspend() {
    terminal_.suspend();
    signals_.stop_process();
    terminal_.resume();
    terminal_.invalidate();
  }

  void leave(int status) {
    status_ = status;
    done_ = true;
  }

  void submit(const std::string& text) {
    if (text.find_first_not_of(" \t\n") == std::string::npos) return;
    input_.add_history(text);
    if (const std::string fault = history_.add(text); !fault.empty()) error(fault);
    if (is_command(text)) {
      run_command(context_, text);
      tell_notice();
    } else if (chat_.generating()) {
      queued_.push_back(text);
    } else {
      ask(text);
    }
  }

  void ask(const std::string& text) {
    chat_.send(text);
    transcript_.add_user(text);
    begin_answer();
  }

  void begin_answer() {
    prepared_.clear();
    transcript_.begin_answer();
    progress_.clear();
    n_generated_ = 0;
    tell_notice();
  }

  // The model reads what is settled of a long question while the rest of it is typed.
  void read_ahead() {
    if (chat_.generating() || is_command(input_.text())) return;
    if (std::optional<std::string> settled = settled_part(input_.text(), prepared_)) {
      prepared_ = *std::move(settled);
      chat_.prepare(prepared_);
    }
  }

  void tell_notice() {
    if (const std::string text = backend_.take_notice(); !text.empty()) notice(text);
    if (const std::string text = chat_.take_error(); !text.empty()) error(text);
    if (const std::string text = chat_.take_notice(); !text.empty()) notice(text);
  }

  // --- what the model says

  void take_answers() {
    while (const auto event = backend_.model->next_event()) {
      dirty_ = true;
      chat_.take(*event);
      show(*event);
    }
    if (!chat_.generating() && !queued_.empty() && !done_) {
      const std::string next = std::move(queued_.front());
      queued_.pop_front();
      ask(next);
    }
  }

  void show(const engine::Event& event) {
    if (const auto* progress = std::get_if<engine::PrefillProgress>(&event)) {
      progress_ = progress_text(*progress);
    } else if (const auto* load = std::get_if<engine::LoadProgress>(&event)) {
      progress_ = progress_text(*load);
    } else if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
      count(thought->n_generated);
      transcript_.append_reasoning(thought->text);
    } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
      count(delta->n_generated);
      transcript_.append_answer(delta->text);
    } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
      transcript_.end_answer();
      progress_.clear();
      tell_notice();
      if (!done_) chat_.prepare("");
      if (finished->reason == engine::FinishReason::cancelled ||
          finished->reason == engine::FinishReason::length)
        notice(chat_.unfinished_note());
      if (finished->reason == engine::FinishReason::context_full)
        notice(context_full_text(chat_.model_info().n_ctx));
    } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
      transcript_.end_answer();
      error(failed->message);
      tell_notice();
    }
  }

  void count(int n_generated) {
    if (n_generated_ == 0) first_token_ = Clock::now();
    n_generated_ = n_generated;
    progress_.clear();
  }

  // Leaving in the middle of an answer: it is stopped, and what there is of it saved.
  void end_answer() {
    chat_.stop();
    const auto deadline = Clock::now() + kStopTimeout;
    queued_.clear();
    while (chat_.generating() && Clock::now() < deadline) {
      wait_readable({backend_.model->wake_fd()}, milliseconds(100));
      take_answers();
    }
  }

  void take_signals() {
    for (const int signal : signals_.take()) {
      dirty_ = true;
      if (signal == SIGTERM || signal == SIGHUP) leave(128 + signal);
      if (signal == SIGINT) interrupt();
      if (signal == SIGTSTP) suspend();
      if (signal == SIGCONT) {
        terminal_.resume();
        terminal_.invalidate();
      }
    }
  }

  Backend& backend_;
  ui::Signals& signals_;
  ui::Terminal terminal_;
  ui::InputLine input_;
  ui::TranscriptView transcript_;
  Chat chat_;
  CommandContext context_;
  History history_;
  std::deque<std::string> queued_;  // questions that wait for the running answer
  std::string progress_;  // of the prompt that is being read, or of the model; empty: neither
  std::string prepared_;  // the part of the draft that the model was given to read ahead
  int n_generated_ = 0;
  Clock::time_point first_token_{};
  Clock::time_point drawn_{};
  Clock::time_point interrupted_{};
  bool dirty_ = true;
  bool done_ = false;
  int status_ = 0;
};

}  // namespace

int run_screen_chat(const ChatOptions& options, const Paths& paths) {
  ui::Signals signals;  // before the model's threads
  Backend backend = open_backend(options, paths, options.save);
  Opening opening{.theme = find_theme(options.theme, paths), .conversation = {}};
  if (backend.store != nullptr) opening.conversation = wanted_conversation(options, *backend.store);
  const int status = ScreenChat(backend, signals, options, paths).run(opening);
  backend.close();
  return status;
}

}  // namespace confab::app
