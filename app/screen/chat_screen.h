// SPDX-License-Identifier: MIT
// The chat on a screen, without the screen: what a person does and what the model says go in,
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
#include "app/chat/waiting_questions.h"
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

// A key that does more when it is pressed again soon. Time is passed in.
class SecondPress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit SecondPress(Clock::duration window) : window_(window) {}

  // The key was pressed; true: the second time. What comes after that is a first time again.
  bool press(Clock::time_point now) {
    const bool again = now - std::exchange(pressed_, now) < window_;
    if (again) pressed_ = {};
    return again;
  }
  // Something else was done: the next press is a first one.
  void forget() { pressed_ = {}; }

 private:
  Clock::duration window_;
  Clock::time_point pressed_{};
};

// Commands have it as a Console.
class ChatScreen : public Console {
 public:
  // All that is borrowed must outlive the screen.
  ChatScreen(Backend& backend, const ChatOptions& options, const Paths& paths, ScreenHost& host);

  // Shows the conversation, or a new one.
  void begin(const std::optional<sessions::Conversation>& conversation);
  void take(const ui::Event& event);
  void take_signal(int number);  // SIGINT as Ctrl+C, SIGTERM and SIGHUP leave
  // Takes what the model has said since, and gives it the next question that waits.
  void take_answers();
  // What goes on beside: a download, and an engine that is waited for. To poll for what there is to
  // take of it, below 0: there is nothing.
  int download_fd() const noexcept { return pull_fd(context_.pulling); }
  void take_download();
  int engine_fd() const noexcept { return awaited_fd(backend_); }
  void take_engine();
  // Shows what everything waits for, and its progress; empty hides the line.
  void tell_held_up(const std::string& text);
  // Lets the model read ahead what is being written.
  void read_ahead();
  // Looks for what the first screen tells of this machine, when that has been shown without it.
  void look_around();
  // Before leaving, when the running answer has ended or has been waited for long enough.
  void save();

  ui::Frame frame(ui::Rows rows, ui::Cols cols);
  // For a terminal that keeps what was said in its scrollback: what is to be added there, each line
  // once, and what stands below it. While a list or a message has the keys, or somebody looks back
  // at what has settled, frame() is to be shown.
  std::vector<ui::Line> take_settled(ui::Rows rows, ui::Cols cols);
  ui::Frame live_frame(ui::Rows rows, ui::Cols cols);
  bool needs_screen() noexcept { return dialog_ || focus_.active() || looks_back_; }
  // The machine may be short of memory, or no longer.
  void take_memory_pressure();
  // Frames had better be few.
  bool spares_power() const noexcept { return sparing_.spares_power(); }
  // Shows what the time that has passed changes; when it is to be called next, if nothing happens.
  void tick();
  std::optional<ScreenHost::Clock::time_point> due() const;
  // Whether the frame may differ from the last one.
  bool changed() const noexcept { return changed_; }
  bool done() const noexcept { return done_; }
  int status() const noexcept { return status_; }  // of the program, when done
  // For the terminal that has been left: how to come back to what was said, and to a download. May
  // be empty.
  std::string farewell() const;
  bool generating() const noexcept { return chat_.generating(); }
  // Ends the running answer and forgets the questions that wait.
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
  // It has opened by itself, and somebody is still typing something else.
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
  // An answer is being written, or the model is asked of which class a question is, or an engine is
  // waited for, or the person is asked about a question.
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
  std::deque<ScreenDialog> later_;  // open when that is over
  // Engaged: keys are for the input until a while has passed without one.
  std::optional<ScreenHost::Clock::time_point> quiet_from_;
  bool acts_ = false;                         // on what a person does
  bool decides_ = false;                      // about the files of a question, which waits
  std::optional<std::size_t> editing_;        // the question that the text being written replaces
  std::optional<std::size_t> asked_instead_;  // that the question which was sent last replaced
  WaitingQuestions waiting_;                  // for the running answer
  News news_;
  std::optional<Suggestion> suggestion_;  // of a model, on the first screen
  AnswerView answer_;
  AnswerLoop answers_;
  std::string prepared_;  // the part of the draft that the model was given to read ahead
  BareExit bare_exit_;
  SecondPress interrupt_{std::chrono::seconds(2)};
  SecondPress escape_{std::chrono::seconds(1)};
  PromptSize prompt_size_;
  Rest rest_;
  Sparing sparing_;
  std::optional<ScreenHost::Clock::time_point> awaiting_since_;  // an engine
  std::string held_up_;
  ScreenHost::Clock::time_point forgot_{};  // the last time
  bool looks_back_ = false;
  std::optional<std::size_t> n_opened_;  // entries of a conversation that is to be printed
  ui::Rows rows_{0};                     // of the last frame(); 0: there was a live one since
  ui::Cols cols_{0};
  bool changed_ = true;
  bool said_ = false;  // something, in this run
  bool done_ = false;
  int status_ = 0;
};

}  // namespace confab::app
