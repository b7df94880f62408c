// SPDX-License-Identifier: MIT
// What a person is told beside the conversation: that something was done, which goes away by
// itself, and what has to be read, which stays until a key says that it was. Time is passed in.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ui/transcript/chat_view.h"

namespace confab::app {

class News {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kShown{4};  // a line that goes away

  void tell(std::string text, Clock::time_point now);  // one line
  void warn(std::string text) { add(std::move(text), ui::Role::notice); }
  void fault(std::string text) { add("! " + std::move(text), ui::Role::error); }

  // A key was pressed: the line goes.
  void forget_line() noexcept { line_.clear(); }
  // Enter or Escape was pressed: all has been read.
  void read() noexcept;
  bool has_unread() const noexcept { return !unread_.empty(); }
  // Forgets what has been shown for long enough; true: there was something.
  bool expire(Clock::time_point now);
  std::optional<Clock::time_point> due() const;  // when that is

  const std::string& line() const noexcept { return line_; }  // empty: none
  const std::vector<ui::Remark>& unread() const noexcept { return unread_; }

 private:
  void add(std::string text, ui::Role role);

  std::string line_;
  Clock::time_point told_{};
  std::vector<ui::Remark> unread_;
};

}  // namespace confab::app
