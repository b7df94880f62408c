// SPDX-License-Identifier: MIT
#include "app/screen/event_loop.h"

#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "app/chat/backend.h"
#include "app/commands/clipboard.h"
#include "app/commands/editor.h"
#include "app/copy_watch.h"
#include "app/pump.h"
#include "app/screen/chat_screen.h"
#include "app/screen/status_line.h"
#include "app/themes.h"
#include "ui/terminal/signals.h"
#include "ui/terminal/terminal.h"

namespace confab::app {
namespace {

using Clock = ScreenHost::Clock;
using std::chrono::milliseconds;

constexpr milliseconds kFrameInterval{33};     // at most 30 frames a second
constexpr milliseconds kSparingInterval{100};  // while saving power
constexpr milliseconds kEchoInterval{8};       // after the person did something
// For this long after the last input, the cursor stays where the person types, for input methods.
constexpr std::chrono::seconds kTypingTime{30};
constexpr std::chrono::seconds kStopTimeout{2};  // for the answer to end, when leaving

bool is_escape_or_interrupt(const ui::Event& event) {
  const auto* key = std::get_if<ui::Key>(&event);
  if (key == nullptr || key->code != ui::Key::Code::character)
    return key != nullptr && key->code == ui::Key::Code::escape;
  return key->ctrl && key->character == U'c';
}

// Everything that can fail is read before the terminal is taken over.
struct Opening {
  ThemeChoice themes;
  std::optional<sessions::Conversation> conversation;
  bool mouse = false;
};

// The chat on a terminal: the poll loop.
class ScreenChat : public ScreenHost {
 public:
  ScreenChat(Backend& backend, ui::Signals& signals, const ChatOptions& options, const Paths& paths)
      : backend_(backend),
        signals_(signals),
        surface_(options.plain ? ui::Surface::scrollback : ui::Surface::screen),
        saves_(options.save),
        terminal_(surface_),
        screen_(backend, options, paths, *this) {
    backend.watch_copying = [this] {
      const std::shared_ptr<ChatScreen> told(&screen_,
                                             [](ChatScreen* screen) { screen->tell_held_up(""); });
      return [this, told](std::uint64_t n, std::uint64_t all) { take_copied(n, all); };
    };
  }
  ~ScreenChat() override { backend_.watch_copying = {}; }

  int run(const Opening& opening) {
    choose_theme(opening.themes);
    terminal_.set_mouse(opening.mouse);
    screen_.begin(opening.conversation);
    while (!screen_.done()) {
      draw_when_due();
      screen_.look_around();
      wait_readable({terminal_.input_fd(), backend_.model->wake_fd(), signals_.fd(),
                     pressure_->fd(), screen_.download_fd(), screen_.engine_fd()},
                    timeout(), terminal_.output_fd());
      terminal_.continue_output();
      take_signals();
      for (const ui::Event& event : read_events()) {
        if (std::holds_alternative<ui::BackgroundFound>(event)) choose_theme(opening.themes);
        screen_.take(event);
        hurried_ = true;
        resizing_ = false;
        acted_ = now();
      }
      if (pressure_is_due()) screen_.take_memory_pressure();
      screen_.take_answers();
      if (is_readable(screen_.download_fd())) screen_.take_download();
      if (is_readable(screen_.engine_fd())) screen_.take_engine();
      screen_.read_ahead();
      if (const auto due = screen_.due(); due && *due <= now()) screen_.tick();
    }
    end_answer();
    terminal_.use_own_screen(surface_ == ui::Surface::screen);
    if (surface_ == ui::Surface::scrollback) print(terminal_.size());
    screen_.save();
    if (screen_.status() == 0) terminal_.set_farewell(screen_.farewell());
    return screen_.status();
  }

  Clock::time_point now() const override { return Clock::now(); }
  MachineState machine() override {
    return watch_.look(backend_.model->info().path, screen_.generating(), now());
  }
  void notify(const std::string& title, const std::string& text) override {
    terminal_.notify(title, text);
  }
  engine::platform::MemoryPressure memory_pressure() override {
    pressure_asked_ = now();
    return pressure_->take();
  }
  engine::platform::PowerReason power_reason() override { return power_->take(now()); }
  std::optional<milliseconds> power_interval() const override { return power_->poll_interval(); }
  bool follows_links() const override { return terminal_.traits().follows_links; }
  // Esc and Ctrl+C cancel the wait; other input is queued.
  bool is_stopped() override {
    draw_when_due();
    terminal_.continue_output();
    bool stops = false;
    for (const int signal : signals_.take()) {
      if (signal != SIGINT) take_signal(signal);
      stops = stops || signal == SIGINT || screen_.done();
    }
    for (ui::Event& event : terminal_.read_events()) {
      const bool is_stop = is_escape_or_interrupt(event);
      stops = stops || is_stop || std::holds_alternative<ui::HangUp>(event);
      if (!is_stop) early_.push_back(std::move(event));
    }
    return stops;
  }
  void redraw() override { terminal_.invalidate(); }
  void suspend() override {
    terminal_.suspend();
    signals_.stop_process();
    terminal_.resume();
    terminal_.invalidate();
  }
  std::string edit(const std::string& text) override {
    struct Handed {
      explicit Handed(ui::Terminal& of) : terminal(of) { terminal.suspend(); }
      ~Handed() {
        terminal.resume();
        terminal.invalidate();
      }
      ui::Terminal& terminal;
    };
    const Handed handed(terminal_);
    return edit_text(text, saves_ ? DraftPlace::temporary_folder : DraftPlace::memory);
  }
  Copied copy(const std::string& text) override {
    if (std::string program = copy_to_clipboard(text); !program.empty())
      return {Copied::To::clipboard, std::move(program)};
    return {terminal_.copy(text) ? Copied::To::terminal : Copied::To::nowhere};
  }
  void set_theme(const ui::Theme& theme) override {
    theme_was_set_ = true;
    show_theme(theme);
  }
  ui::Theme theme() const override { return theme_; }

 private:
  // Does nothing if the person has set another theme.
  void choose_theme(const ThemeChoice& themes) {
    const ui::TerminalTraits known = terminal_.traits();
    if (!theme_was_set_) show_theme(themes.theme(known.depth, known.background));
  }

  void show_theme(const ui::Theme& theme) {
    theme_ = theme;
    terminal_.set_theme(theme);
  }

  // If nothing can wake the program, the source is polled during answers only.
  bool pressure_is_due() const {
    if (pressure_->fd() >= 0) return is_readable(pressure_->fd());
    const auto due = pressure_due();
    return due && *due <= now();
  }
  std::optional<Clock::time_point> pressure_due() const {
    const auto interval = pressure_->poll_interval();
    if (!interval || !screen_.generating()) return std::nullopt;
    return pressure_asked_ + *interval;
  }

  std::vector<ui::Event> read_events() {
    std::vector<ui::Event> events = std::exchange(early_, {});
    for (ui::Event& event : terminal_.read_events()) events.push_back(std::move(event));
    return events;
  }

  // Called while a model is being loaded and everything waits for it.
  void take_copied(std::uint64_t n, std::uint64_t all) {
    screen_.tell_held_up(copy_text(n, all));
    if (is_stopped()) throw CopyStopped();
  }

  std::optional<milliseconds> timeout() const {
    if (!early_.empty()) return milliseconds(0);
    std::optional<milliseconds> wait = terminal_.input_timeout();
    const auto until = [&](Clock::time_point due) {
      const auto left = std::chrono::ceil<milliseconds>(due - now());
      wait = std::max(milliseconds(0), wait ? std::min(*wait, left) : left);
    };
    if (screen_.changed()) until(drawn_ + frame_interval());
    if (const auto due = screen_.due()) until(*due);
    if (const auto due = pressure_due()) until(*due);
    return wait;
  }

  milliseconds frame_interval() const {
    if (hurried_) return kEchoInterval;
    return screen_.spares_power() ? kSparingInterval : kFrameInterval;
  }

  void draw_when_due() {
    if (!screen_.changed() || now() - drawn_ < frame_interval()) return;
    drawn_ = now();
    hurried_ = false;
    const ui::ScreenSize size = terminal_.size();
    const bool own_screen = surface_ == ui::Surface::screen || screen_.needs_screen();
    terminal_.use_own_screen(own_screen);
    if (own_screen)
      terminal_.draw(screen_.frame(size.rows, size.cols));
    else
      print(size);
  }

  void print(const ui::ScreenSize& size) {
    std::vector<ui::Line> lines = screen_.take_settled(size.rows, size.cols);
    ui::Frame live = screen_.live_frame(size.rows, size.cols);
    // The terminal may already have another size when it draws this: see InlineScreen.
    const bool waits = screen_.generating() && now() - acted_ > kTypingTime;
    if (resizing_ || waits) live.draw_cursor({.role = ui::Role::selection});
    terminal_.print(std::move(lines), live);
  }

  // When leaving during an answer, stops the answer so that its text is saved.
  void end_answer() {
    screen_.stop_answer();
    const auto deadline = now() + kStopTimeout;
    while (screen_.generating() && now() < deadline) {
      wait_readable({backend_.model->wake_fd()}, milliseconds(100));
      screen_.take_answers();
    }
  }

  void take_signals() {
    for (const int signal : signals_.take()) take_signal(signal);
  }

  void take_signal(int signal) {
    screen_.take_signal(signal);
    if (signal == SIGTSTP) suspend();
    if (signal == SIGWINCH) {
      resizing_ = true;
      terminal_.invalidate();  // even if it has its old size again
    }
    if (signal == SIGCONT) {
      terminal_.resume();
      terminal_.invalidate();
    }
  }

  Backend& backend_;
  ui::Signals& signals_;
  ui::Surface surface_;
  bool saves_;
  ui::Terminal terminal_;
  std::unique_ptr<engine::platform::PowerSource> power_ = engine::platform::make_power_source();
  ChatScreen screen_;  // uses the terminal and the power source from its constructor on
  MachineWatch watch_;
  std::unique_ptr<engine::platform::PressureSource> pressure_ =
      engine::platform::make_pressure_source();
  Clock::time_point pressure_asked_{};
  ui::Theme theme_;
  Clock::time_point drawn_{};
  Clock::time_point acted_{};     // the last input
  std::vector<ui::Event> early_;  // queued while everything waited
  bool hurried_ = false;          // the person waits for the next frame
  bool resizing_ = false;         // the size has changed since the last input
  bool theme_was_set_ = false;
};

}  // namespace

int run_screen_chat(Backend& backend, ui::Signals& signals, const ChatOptions& options,
                    const Paths& paths) {
  Opening opening{
      .themes = ThemeChoice(options.theme, paths), .conversation = {}, .mouse = options.mouse};
  if (backend.store != nullptr) opening.conversation = wanted_conversation(options, *backend.store);
  const int status = ScreenChat(backend, signals, options, paths).run(opening);
  backend.close();
  return status;
}

int run_screen_chat(const ChatOptions& options, const Paths& paths) {
  ui::Signals signals;  // before the model starts threads
  Backend backend =
      open_backend(options, paths, options.save, waits_at_start(signals, OnInterrupt::goes_on));
  return run_screen_chat(backend, signals, options, paths);
}

}  // namespace confab::app
