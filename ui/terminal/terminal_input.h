// SPDX-License-Identifier: MIT
// What a terminal sends: keys and the like as events, and apart from them its answers to questions.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "ui/event.h"
#include "ui/terminal/key_decoder.h"

namespace confab::ui {

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

}  // namespace confab::ui
