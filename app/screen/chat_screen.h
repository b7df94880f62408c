// SPDX-License-Identifier: MIT
// The chat on a screen, without the terminal: the person's input and the model's events go in,
// frames come out. Confined to one thread; nothing here waits.
#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "app/chat/answer_loop.h"
#include "app/chat/backend.h"
#include "app/chat/chat.h"
#include "app/chat/history.h"
#include "app/chat/prompt_size.h"
#include "app/chat/question.h"
#include "app/chat/welcome.h"
#include "app/commands/commands.h"
#include "app/commands/focus_keys.h"
#include "app/commands/model.h"
#include "app/manners/sparing.h"
#include "app/models/suggested_model.h"
#include "app/screen/answer_view.h"
#include "app/screen/dialog.h"
#include "app/screen/host.h"
#include "app/screen/message_actions.h"
#include "app/screen/news.h"
#include "app/screen/palette.h"
#include "ui/event.h"
#include "ui/frame.h"
#include "ui/input/input_line.h"
#include "ui/input/keymap.h"
#include "ui/transcript/chat_view.h"
#include "ui/transcript/transcript_view.h"

namespace confab::app {

// A key that does more when it is pressed twice in short order. The caller passes the time.
class SecondPress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit SecondPress(Clock::duration window) : window_(window) {}

  // Call when the key is pressed. Returns true for the second press; the next one counts as a first
  // again.
  bool press(Clock::time_point now) {
    const bool again = now - std::exchange(pressed_, now) < window_;
    if (again) pressed_ = {};
    return again;
  }
  // Something else was done, so the next press counts as a first.
  void forget() { pressed_ = {}; }

 private:
  Clock::duration window_;
  Clock::time_point pressed_{};
};

// For commands, it is a Console.
class ChatScreen : public Console {
 public:
  // The arguments must outlive the screen.
  ChatScreen(Backend& backend, const ChatOptions& options, const Paths& paths, ScreenHost& host);

  // Shows this conversation, or a new one.
  void begin(const std::optional<sessions::Conversation>& conversation);
  void take(const ui::Event& event);
  void take_signal(int number);  // SIGINT acts like Ctrl+C; SIGTERM and SIGHUP leave
  // Takes the model's pending events, and sends the next waiting question after an answer.
  void take_answers();
  // Background work: a download, and an awaited engine. The descriptors are to be polled; -1 means
  // there is none.
  int download_fd() const noexcept { return pull_fd(context_.pulling); }
  void take_download();
  int engine_fd() const noexcept { return awaited_fd(backend_); }
  void take_engine();
  // Shows what everything is waiting for, with its progress; "" hides the line.
  void tell_held_up(const std::string& text);
  // Lets the model read the draft ahead.
  void read_ahead();
  // Looks for models to suggest on the first screen, if it was drawn without a suggestion.
  void look_around();
  // Call before leaving, once the answer has ended or been waited for long enough.
  void save();

  ui::Frame frame(ui::Rows rows, ui::Cols cols);
  // For a terminal whose scrollback keeps the conversation: the lines to add to it, each once, and
  // the live part below. While needs_screen() is true, show frame() instead.
  std::vector<ui::Line> take_settled(ui::Rows rows, ui::Cols cols);
  ui::Frame live_frame(ui::Rows rows, ui::Cols cols);
  bool needs_screen() noexcept { return dialog_ || focus_.active() || looks_back_; }
  // The machine has become short of memory, or has memory again.
  void take_memory_pressure();
  // Frames should be drawn less often.
  bool spares_power() const noexcept { return sparing_.spares_power(); }
  // Updates what depends on the time. due() says when to call it next if nothing else happens.
  void tick();
  std::optional<ScreenHost::Clock::time_point> due() const;
  // Returns true if the frame may differ from the last one.
  bool changed() const noexcept { return changed_; }
  bool done() const noexcept { return done_; }
  int status() const noexcept { return status_; }  // the program's exit status, when done
  // Printed after leaving: how to continue the conversation and the download. May be empty.
  std::string farewell() const;
  bool generating() const noexcept { return chat_.generating(); }
  // Ends the running answer and drops the waiting questions.
  void stop_answer() {
    chat_.stop();
    waiting_.clear();
  }

 private:
  void notice(const std::string& text) override;
  void error(const std::string& text) override;
  WhileReading watch_reading(const std::string& what) override;
  void announce(const std::string& text) override;
  void show_text(const std::string& title, const std::string& text) override;
  void quit() override { done_ = true; }
  void show_conversation() override;
  void show_answer() override;
  void show_memory() override;
  void copy(const std::string& text, const std::string& what) override;
  void ask_line(const std::string& label, const std::string& text,
                std::function<void(const std::string&)> done) override;
  void confirm(const std::string& question, std::function<void()> yes, const std::string& instead,
               std::function<void()> no) override;
  void take_back(const std::string& question) override;
  void edit_question(std::size_t message) override;
  void search_conversation() override;
  bool choose(PickerKind choice) override;
  bool set_theme(const ui::Theme& theme) override {
    host_.set_theme(theme);
    return true;
  }
  std::string keys() const override { return keys_help(); }
  void open_reasoning(bool open) override;

  void open(ScreenDialog dialog);
  void open_next();
  // The dialog opened by itself, and the person is still typing.
  bool is_quiet() const;
  ui::ChatView view();
  void act_on(const ui::Event& event);
  void take_paste(const std::string& pasted);
  void take_key(const ui::Key& key);
  void take_click(const ui::Click& click);
  void edit_draft();
  void end_dialog(const std::optional<ScreenDialog::End>& end);
  bool feed_palette(const ui::Key& key);
  bool take_command(ui::Command command);
  bool cancel();
  void leave_editing();
  bool goes_to_messages(const ui::Key& key) const;
  void interrupt();
  void leave(int status) {
    status_ = status;
    done_ = true;
  }
  void submit(const std::string& text);
  void change(const std::string& text);
  void decide_and_ask(WaitingQuestion question);
  void ask(const WaitingQuestion& question);
  void put_back(const std::string& question);
  void attach_again(std::vector<sessions::Attachment> files);
  std::vector<sessions::Attachment> take_attached() { return std::exchange(context_.attached, {}); }
  void send(Question question);
  // An answer is being written, the model is asked for a question's class, an engine is awaited, or
  // the person is asked about a question's files.
  bool is_busy() const noexcept {
    return chat_.generating() || context_.routing.pending || backend_.awaited || decides_;
  }
  void begin_answer();
  void end_answer(const AnswerOutcome& outcome);
  void tell_notice();
  void go_on_with_waiting();
  bool reads_news(const ui::Key& key);
  bool edit_waiting(const ui::Key& key);
  bool turns_answers(const ui::Key& key);
  bool asks_for_keys(const ui::Key& key) const;
  void know_speed();
  void keep_store();
  std::optional<ScreenHost::Clock::time_point> forget_due() const;
  bool stop_awaiting();
  void add_background(std::vector<ui::Remark>& remarks);
  std::optional<ScreenHost::Clock::time_point> background_due() const;
  void wake_model();
  void look_at_power();
  std::string hint();
  std::vector<ui::Remark> first_remarks() const;

  Backend& backend_;
  ScreenHost& host_;
  Chat chat_;
  CommandContext context_;
  Keeping keeping_;
  History history_;
  ui::InputLine input_;
  Palette palette_;
  ui::Transcript transcript_;
  ui::TranscriptView transcript_view_{transcript_};
  MessageActions focus_;
  std::optional<ScreenDialog> dialog_;
  std::deque<ScreenDialog> later_;  // opened when the current one is closed
  // While set, keys go to the input until nobody has typed for kQuiet.
  std::optional<ScreenHost::Clock::time_point> quiet_from_;
  bool acts_ = false;                         // on the person's input
  bool decides_ = false;                      // about a question's files; the question waits
  std::optional<std::size_t> editing_;        // the question that the input will replace
  std::optional<std::size_t> asked_instead_;  // the question that the last sent one replaced
  WaitingQuestions waiting_;                  // for the end of the running answer
  News news_;
  std::optional<Suggestion> suggestion_;  // for the first screen
  AnswerView answer_;
  AnswerLoop answers_;
  std::string prepared_;  // the part of the draft that the model was given
  BareExit bare_exit_;
  SecondPress interrupt_{std::chrono::seconds(2)};
  SecondPress escape_{std::chrono::seconds(1)};
  PromptSize prompt_size_;
  Rest rest_;
  Sparing sparing_;
  std::optional<ScreenHost::Clock::time_point> awaiting_since_;  // for an engine
  std::string held_up_;
  ScreenHost::Clock::time_point forgot_{};  // when forgetting last took a step
  bool looks_back_ = false;
  std::optional<std::size_t> n_opened_;  // entries of an opened conversation, to be printed
  ui::Rows rows_{0};                     // of the last frame(); 0 after a live frame
  ui::Cols cols_{0};
  bool changed_ = true;
  bool said_ = false;  // something was asked in this run
  bool done_ = false;
  int status_ = 0;
};

}  // namespace confab::app
