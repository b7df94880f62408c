// SPDX-License-Identifier: MIT
// The progress of a long command, and whether it should end early.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "ui/terminal/signals.h"

namespace confab::app {

// One line of a terminal that is overwritten and then removed. Shows nothing if the terminal cannot
// overwrite lines (ui::may_redraw).
class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* out = stderr);  // must outlive the object
  ProgressLine(std::FILE* out, bool redraws) : out_(out), redraws_(redraws) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows the text, after the percentage if there is one. The text is sanitised and cut to fit one
  // line.
  void show(int percent, std::string_view text);
  void show(std::string_view text);
  void clear() noexcept;
  bool redraws() const noexcept { return redraws_; }  // false: nothing is ever shown

 private:
  void write(std::string line);

  std::FILE* out_;
  bool redraws_;
  std::string shown_;
};

// The exit status that a pending signal asks for; 0: none. Stops the process if a signal asked for
// that.
int status_asked_for(ui::Signals& signals);

}  // namespace confab::app
