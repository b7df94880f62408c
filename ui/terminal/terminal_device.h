// SPDX-License-Identifier: MIT
// The terminal as a file: opened, asked its size, set to raw modes, read as events and written
// without waiting.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/event.h"
#include "ui/terminal/key_decoder.h"
#include "ui/text.h"

namespace confab::ui {

struct ScreenSize {
  Rows rows;
  Cols cols;
  bool operator==(const ScreenSize&) const = default;
};

// Returns the size of the terminal at a descriptor, or 24x80 if it is not a terminal or does not
// know its size.
ScreenSize screen_size(int fd) noexcept;

// Whether this process is in the foreground of the terminal at a descriptor, so that what is typed
// there is for it. Reading in the background would stop the process (SIGTTIN). Returns true without
// job control.
bool in_foreground(int fd) noexcept;

// Appends what can be read without waiting, up to about `limit` bytes. Returns false at the end of
// the input.
bool read_available(int fd, std::string& bytes, std::size_t limit);

// Whether ACCESSIBLE asks for output that a screen reader can follow: it is set, and not to 0.
bool wants_accessible() noexcept;

// Whether the descriptor is a terminal that can move its cursor (TERM is set, and not to "dumb")
// and wants_accessible() is false. If not, write only whole lines.
bool may_redraw(int fd) noexcept;

// The terminal of stdin and stdout, or /dev/tty if either is not a terminal. The destructor closes
// it.
class TerminalDevice {
 public:
  TerminalDevice();  // throws TerminalError if there is no terminal
  ~TerminalDevice();
  TerminalDevice(const TerminalDevice&) = delete;
  TerminalDevice& operator=(const TerminalDevice&) = delete;

  int in() const noexcept { return in_; }
  int out() const noexcept { return out_; }

  // Raw input and output: each key at once, no echo, no signals, output unchanged.
  void use_raw_modes() const noexcept;
  bool in_foreground() const noexcept { return ui::in_foreground(in_); }

 private:
  int in_ = -1;
  int out_ = -1;
};

// Reads a terminal: keys, pastes and reports as events, and separately its answers to questions.
class TerminalInput {
 public:
  using Clock = KeyDecoder::Clock;
  // Is called with each answer. The result, if any, becomes an event.
  using Answered = std::function<std::optional<Event>(const TerminalReply&)>;

  TerminalInput(int fd, Answered answered) : fd_(fd), answered_(std::move(answered)) {}

  // Returns what has come since the last call. At the end of input there is one HangUp.
  std::vector<Event> read_events();
  // How long until read_events() has news even without input. nullopt: never.
  std::optional<std::chrono::milliseconds> timeout() const;

  void set_dialect(KeyDialect dialect) noexcept { decoder_.set_dialect(dialect); }
  // Whether the wheel may arrive as arrow keys, as many terminals send it on their alternate
  // screen. Then several equal arrows at once, and nothing else, count as the wheel. Repeated keys
  // arrive one by one, unless the line stalls.
  void set_wheel_as_arrows(bool on) noexcept { wheel_as_arrows_ = on; }

  // Call this after the terminal has been asked something.
  void expect_answers() { decoder_.expect_replies(Clock::now()); }
  // Processes answers until done() is true (everything is answered), the time is up or the terminal
  // is gone. What a person types meanwhile is kept for read_events(). Events that result from
  // answers are dropped.
  void await(const std::function<bool()>& done, std::chrono::milliseconds limit);

 private:
  std::vector<Event> decode(std::string_view bytes, bool tells_answers);

  int fd_;
  Answered answered_;
  KeyDecoder decoder_;
  std::vector<Event> early_;  // events that came while await() was waiting
  bool hung_up_ = false;
  bool wheel_as_arrows_ = false;
};

// Sends bytes to a terminal that may read more slowly than they come, without ever blocking.
class TerminalOutput {
 public:
  // `fd` is the terminal, open for writing; it is borrowed. It is opened once more, because
  // non-blocking mode belongs to the open file description and would affect programs that share
  // `fd`. If that fails, send() blocks.
  explicit TerminalOutput(int fd);
  ~TerminalOutput();
  TerminalOutput(const TerminalOutput&) = delete;
  TerminalOutput& operator=(const TerminalOutput&) = delete;

  int fd() const noexcept { return fd_; }  // while pending(), poll for POLLOUT and then flush()
  bool pending() const noexcept { return begin_ < bytes_.size(); }

  // Adds bytes and writes what the terminal takes. If a write fails because the terminal is gone,
  // all bytes are dropped; the reader notices that the terminal is gone.
  void send(std::string_view bytes);
  void flush();
  // Waits until everything is written or the time is up. In the second case it drops the rest,
  // discards the bytes that the terminal has not read yet, and returns false.
  bool drain(std::chrono::milliseconds limit);

 private:
  int fd_;
  bool owned_ = false;
  std::string bytes_;
  std::size_t begin_ = 0;  // bytes before this have been written
};

}  // namespace confab::ui
