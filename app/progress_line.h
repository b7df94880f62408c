// SPDX-License-Identifier: MIT
// How far a long command is, and whether it should end early.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "ui/terminal/signals.h"

namespace confab::app {

// One line of a terminal that is written over and goes away again. Where nothing may be written
// over (ui::may_redraw) there is none.
class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* out = stderr);  // must outlive the object
  ProgressLine(std::FILE* out, bool redraws) : out_(out), redraws_(redraws) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // The text is shown, after the percentage if there is one, made safe and cut to what one line has
  // room for.
  void show(int percent, std::string_view text);
  void show(std::string_view text);
  void clear() noexcept;
  bool redraws() const noexcept { return redraws_; }  // false: nothing is shown

 private:
  void write(std::string line);

  std::FILE* out_;
  bool redraws_;
  std::string shown_;
};

// The exit status that a signal asks for; 0: none does. Stops the process when that was asked for.
int status_asked_for(ui::Signals& signals);

}  // namespace confab::app
