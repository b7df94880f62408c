// SPDX-License-Identifier: MIT
// Messages to the person outside the conversation. Short ones say that something was done and
// disappear by themselves; important ones stay until a key confirms that they were read. The caller
// passes the time.
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
  static constexpr std::chrono::seconds kShown{4};  // for a line that disappears

  void tell(std::string text, Clock::time_point now);  // one line
  void warn(std::string text) { add(std::move(text), ui::Role::notice); }
  void fault(std::string text) { add("! " + std::move(text), ui::Role::error); }

  // A key was pressed: removes the line.
  void forget_line() noexcept { line_.clear(); }
  // Enter or Escape was pressed: everything has been read.
  void read() noexcept;
  bool has_unread() const noexcept { return !unread_.empty(); }
  // Removes a line that has been shown long enough. Returns true if it did.
  bool expire(Clock::time_point now);
  std::optional<Clock::time_point> due() const;  // when expire() removes the line

  const std::string& line() const noexcept { return line_; }  // "" if there is none
  const std::vector<ui::Remark>& unread() const noexcept { return unread_; }

 private:
  void add(std::string text, ui::Role role);

  std::string line_;
  Clock::time_point told_{};
  std::vector<ui::Remark> unread_;
};

}  // namespace confab::app
