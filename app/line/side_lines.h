// SPDX-License-Identifier: MIT
// Lines that `confab -p` writes to standard error beside the answer, and its progress.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "app/progress_line.h"

namespace confab::app {

class SideLines {
 public:
  // quiet: only errors are written.
  explicit SideLines(bool quiet, std::FILE* out = stderr)
      : out_(out), quiet_(quiet), progress_(out) {}

  // Each line of the text is written after "confab: ", with control characters made safe.
  void notice(std::string_view text);
  void error(std::string_view text);
  // Writes something the person asked for, as it is.
  void line(std::string_view text);

  void progress(std::string_view text);
  // Says why the answer has to wait. Shown as progress; where progress is not visible (in a log),
  // as a line whenever the reason changes.
  void waiting(std::string_view progress, std::string_view reason);
  void clear_progress() noexcept { progress_.clear(); }

 private:
  void tell(std::string_view text);

  std::FILE* out_;
  bool quiet_;
  ProgressLine progress_;
  std::string reason_ = {};  // the last reason reported by waiting()
};

}  // namespace confab::app
