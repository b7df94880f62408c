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

// The size of the terminal at a descriptor; 24x80 when it is none or does not know.
ScreenSize screen_size(int fd) noexcept;

// Whether this process's group is in the foreground of the terminal at a descriptor, so that what
// is typed there is for it: reading in the background would stop it (SIGTTIN). True where nobody
// decides on that.
bool in_foreground(int fd) noexcept;

// Appends what can be read without waiting, up to about `limit` bytes; false: it has ended.
bool read_available(int fd, std::string& bytes, std::size_t limit);

// Whether ACCESSIBLE asks for output that a screen reader can follow: it is set, and not to 0.
bool wants_accessible() noexcept;

// Whether the descriptor is a terminal that can move its cursor (TERM is set, and not to "dumb"),
// and wants_accessible() is false. Elsewhere only whole lines are to be written.
bool may_redraw(int fd) noexcept;

// The terminal of stdin and stdout, or /dev/tty when either is none; closed with the object.
class TerminalDevice {
 public:
  TerminalDevice();  // throws TerminalError when there is none
  ~TerminalDevice();
  TerminalDevice(const TerminalDevice&) = delete;
  TerminalDevice& operator=(const TerminalDevice&) = delete;

  int in() const noexcept { return in_; }
  int out() const noexcept { return out_; }

  // Every key as it comes, no echo, no signals, output as it is written.
  void use_raw_modes() const noexcept;
  bool in_foreground() const noexcept { return ui::in_foreground(in_); }

 private:
  int in_ = -1;
  int out_ = -1;
};

// What a terminal sends: keys and the like as events, and apart from them its answers to questions.
class TerminalInput {
 public:
  using Clock = KeyDecoder::Clock;
  // Gets each answer; what it returns is told as an event.
  using Answered = std::function<std::optional<Event>(const TerminalReply&)>;

  TerminalInput(int fd, Answered answered) : fd_(fd), answered_(std::move(answered)) {}

  // What has come since the last call. At its end, once, a HangUp.
  std::vector<Event> read_events();
  // When read_events() has something to tell even though nothing more comes; nullopt: never.
  std::optional<std::chrono::milliseconds> timeout() const;

  void set_dialect(KeyDialect dialect) noexcept { decoder_.set_dialect(dialect); }
  // Whether the wheel may come as arrow keys, as many terminals send it on their other screen: then
  // several of the same at once, with nothing else, are the wheel. (Keys that repeat come one by
  // one, except over a line that stalls.)
  void set_wheel_as_arrows(bool on) noexcept { wheel_as_arrows_ = on; }

  // The terminal has just been asked something.
  void expect_answers() { decoder_.expect_replies(Clock::now()); }
  // Takes in answers until it is so, which means that all is answered, the time is up or the
  // terminal is gone. What a person typed meanwhile is kept; what answers gave rise to is not told.
  void await(const std::function<bool()>& done, std::chrono::milliseconds limit);

 private:
  std::vector<Event> decode(std::string_view bytes, bool tells_answers);

  int fd_;
  Answered answered_;
  KeyDecoder decoder_;
  std::vector<Event> early_;  // came while answers were waited for
  bool hung_up_ = false;
  bool wheel_as_arrows_ = false;
};

// Bytes to a terminal that may read more slowly than they come, without ever waiting for it.
class TerminalOutput {
 public:
  // `fd` is the terminal, open for writing (borrowed). It is opened once more, since not to wait is
  // a property of what was opened: programs that share `fd` are not to notice. Where that cannot
  // be, send() waits.
  explicit TerminalOutput(int fd);
  ~TerminalOutput();
  TerminalOutput(const TerminalOutput&) = delete;
  TerminalOutput& operator=(const TerminalOutput&) = delete;

  int fd() const noexcept { return fd_; }  // poll for POLLOUT while pending(), then flush()
  bool pending() const noexcept { return begin_ < bytes_.size(); }

  // Adds bytes and writes what the terminal takes. After a write that failed, as the terminal is
  // gone, all is dropped: reading tells that.
  void send(std::string_view bytes);
  void flush();
  // Waits until all is written, or the time is up; then what is left is dropped and the bytes that
  // the terminal has not read yet with it. False: that was so.
  bool drain(std::chrono::milliseconds limit);

 private:
  int fd_;
  bool owned_ = false;
  std::string bytes_;
  std::size_t begin_ = 0;  // what is before it has been written
};

}  // namespace confab::ui
