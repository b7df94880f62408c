// SPDX-License-Identifier: MIT
#include "ui/input/plain_reader.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "ui/input/draft.h"
#include "ui/input/line_editor.h"
#include "ui/terminal/plain_writer.h"
#include "ui/terminal/terminal_device.h"
#include "ui/terminal/terminal_reset.h"

namespace confab::ui {
namespace {

// Switches bracketed paste off. readline switches it on, and the saved modes of the terminal do not
// include it.
constexpr std::string_view kReset = "\x1b[?2004l";

constexpr std::string_view kMorePrompt = ". ";
// Nobody types two keys within this time, but a terminal sends a paste at once.
constexpr int kAtOnceMs = 20;

enum class Ready { signal, news, input };

// news_fd is below 0 if it is not watched.
Ready wait_for_input(int signal_fd, int news_fd) {
  std::array<pollfd, 3> waits = {
      {{STDIN_FILENO, POLLIN, 0}, {signal_fd, POLLIN, 0}, {news_fd, POLLIN, 0}}};
  while (poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) {
  }
  if (waits[1].revents != 0) return Ready::signal;
  return waits[2].revents != 0 ? Ready::news : Ready::input;
}

}  // namespace

class PlainReader::Impl {
 public:
  explicit Impl(Signals& signals) : signals_(signals), typed_(isatty(STDIN_FILENO) == 1) {
    if (!typed_ || isatty(STDOUT_FILENO) != 1) return;
    using enum DrawnLineEditor::Device;
    editor_.emplace(wants_accessible() ? teletype : terminal);
    reset_.emplace(STDOUT_FILENO, wants_accessible() ? std::string_view() : kReset);
    set_history_source({});
  }

  std::optional<DrawnLineEditor>& editor() noexcept { return editor_; }

  PlainLine read_message(std::string_view prompt) {
    PlainLine message = read_line(prompt);
    bool pastes = false;
    while (message.kind == PlainLine::Kind::line) {
      const bool is_pasted = more_at_once() || (pastes && ended_at_once_);
      if (!is_pasted && !goes_on(message.text)) break;
      const PlainLine next = read_line(kMorePrompt);
      if (next.kind == PlainLine::Kind::interrupted) return next;
      if (next.kind == PlainLine::Kind::end) break;
      if (is_pasted)
        note_paste(std::exchange(pastes, true) ? next.text : message.text + '\n' + next.text);
      else if (!is_open_block(message.text))
        message.text.pop_back();
      message.text += '\n' + next.text;
    }
    message.text = message_of(message.text);
    message.pasted = std::exchange(pasted_, {});
    return message;
  }

  PlainLine ask(std::string_view prompt) {
    const std::string waiting = std::exchange(buffer_, {});
    searched_ = 0;
    PlainLine line = read_line(prompt);
    buffer_.insert(0, waiting);
    searched_ = 0;
    return line;
  }

  void set_history_source(std::function<std::optional<std::vector<std::string>>()> changed) {
    if (!editor_) return;
    editor_->set_hooks({.pasted = [this](std::string_view text) { note_paste(text); },
                        .changed_history = std::move(changed)});
  }

  void watch(Watch watch) { watch_ = std::move(watch); }

  int typing_fd() const noexcept {
    return typed_ && !at_end_ && in_foreground(STDIN_FILENO) ? STDIN_FILENO : -1;
  }

  void take_typed() {
    pollfd typed{.fd = typing_fd(), .events = POLLIN, .revents = 0};
    while (!at_end_ && poll(&typed, 1, 0) > 0) read_some();
  }

 private:
  static bool goes_on(std::string_view text) {
    return is_open_block(text) || ends_in_backslash(text);
  }

  // Whether the line belongs to a paste from a terminal that does not mark pastes: more input comes
  // sooner than anybody types.
  bool more_at_once() {
    if (!editor_ || !edited_) return false;
    pollfd wait{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return poll(&wait, 1, kAtOnceMs) > 0;
  }

  PlainLine read_line(std::string_view prompt) {
    edited_ = false;
    const bool waits = buffer_.find('\n') != std::string::npos || at_end_;
    if (!editor_) return read_raw();
    if (waits) {
      const PlainLine line = read_raw();
      note_paste(line.text);
      show(prompt, line);
      return line;
    }
    reset_->arm();
    editor_->begin(std::string(prompt));
    note_paste(buffer_);
    if (!buffer_.empty()) editor_->insert(std::exchange(buffer_, {}));
    PlainLine line = edit();
    edited_ = true;
    reset_->disarm();
    return line;
  }

  void note_paste(std::string_view text) {
    if (!pasted_.empty()) pasted_ += '\n';
    pasted_ += text;
  }

  // Shows a line that was typed before its prompt.
  static void show(std::string_view prompt, const PlainLine& line) {
    PlainWriter out(STDOUT_FILENO);
    out.write(prompt);
    out.write(line.text);
    out.finish();
  }

  PlainLine edit() {
    for (;;) {
      const Ready ready = wait_for_input(signals_.fd(), watch_.fd());
      if (ready == Ready::news) tell_news();
      if (ready == Ready::signal) {
        const int signal = take_signals();
        if (signal == 0) continue;
        editor_->end();
        return {.kind = PlainLine::Kind::interrupted, .signal = signal};
      }
      if (ready != Ready::input) continue;
      const auto now = std::chrono::steady_clock::now();
      ended_at_once_ = now - last_key_ < std::chrono::milliseconds(kAtOnceMs);
      last_key_ = now;
      InputResult result = editor_->read();
      if (result.end) return {.kind = PlainLine::Kind::end};
      if (result.submitted)
        return {.kind = PlainLine::Kind::line, .text = *std::move(result.submitted)};
    }
  }

  void tell_news() {
    if (!watch_.has_news()) return;
    editor_->pause();
    PlainWriter(STDOUT_FILENO).write("\n");
    watch_.tell();
    editor_->proceed();
  }

  PlainLine read_raw() {
    for (;;) {
      const std::size_t end = buffer_.find('\n', searched_);
      if (end != std::string::npos) return take_raw(end, end + 1);
      searched_ = buffer_.size();
      if (at_end_ && !buffer_.empty()) return take_raw(buffer_.size(), buffer_.size());
      if (at_end_) return {.kind = PlainLine::Kind::end};
      if (wait_for_input(signals_.fd(), -1) == Ready::signal) {
        const int signal = take_signals();
        if (signal != 0) return {.kind = PlainLine::Kind::interrupted, .signal = signal};
        continue;
      }
      read_some();
    }
  }

  void read_some() {
    std::array<char, 65536> bytes;
    const ssize_t n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    at_end_ = n <= 0;
    if (n <= 0) return;
    // readline had the terminal then, so Enter sent \r.
    if (typed_) std::replace(bytes.begin(), bytes.begin() + n, '\r', '\n');
    buffer_.append(bytes.data(), static_cast<std::size_t>(n));
  }

  PlainLine take_raw(std::size_t end, std::size_t next) {
    PlainLine line{.kind = PlainLine::Kind::line, .text = buffer_.substr(0, end)};
    if (line.text.ends_with('\r')) line.text.pop_back();
    buffer_.erase(0, next);
    searched_ = 0;
    return line;
  }

  // Returns the signal that interrupts, or 0.
  int take_signals() {
    int interrupt = 0;
    for (const int signal : signals_.take()) {
      if (signal == SIGWINCH && editor_) editor_->resize();
      if (signal == SIGTSTP) stop();
      if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) interrupt = signal;
    }
    return interrupt;
  }

  void stop() {
    if (editor_) editor_->pause();
    signals_.stop_process();
    if (editor_) editor_->proceed();
  }

  Signals& signals_;
  bool typed_;                             // stdin is a terminal
  std::optional<DrawnLineEditor> editor_;  // nullopt: not interactive
  std::optional<TerminalReset> reset_;
  Watch watch_ = {};
  std::string buffer_;  // read but not taken yet
  std::string pasted_;  // pasted parts of the message being read
  std::size_t searched_ = 0;
  bool at_end_ = false;
  bool edited_ = false;         // the last line came from the editor
  bool ended_at_once_ = false;  // Enter followed sooner than anybody types
  std::chrono::steady_clock::time_point last_key_{};
};

PlainReader::PlainReader(Signals& signals) : impl_(std::make_unique<Impl>(signals)) {}
PlainReader::~PlainReader() = default;

bool PlainReader::interactive() const noexcept {
  return impl_->editor().has_value();
}

PlainLine PlainReader::read(std::string_view prompt) {
  return impl_->read_message(prompt);
}

PlainLine PlainReader::ask(std::string_view prompt) {
  return impl_->ask(prompt);
}

void PlainReader::watch(Watch watch) {
  impl_->watch(std::move(watch));
}

int PlainReader::typing_fd() const noexcept {
  return impl_->typing_fd();
}

void PlainReader::take_typed() {
  impl_->take_typed();
}

void PlainReader::set_completer(Completer completer) {
  if (impl_->editor()) impl_->editor()->set_completer(std::move(completer));
}

void PlainReader::set_history(const std::vector<std::string>& entries) {
  if (impl_->editor()) impl_->editor()->set_history(entries);
}

void PlainReader::set_history_source(
    std::function<std::optional<std::vector<std::string>>()> changed) {
  impl_->set_history_source(std::move(changed));
}

void PlainReader::add_history(std::string_view entry) {
  if (impl_->editor()) impl_->editor()->add_history(entry);
}

}  // namespace confab::ui
