// SPDX-License-Identifier: MIT
// What `confab -p` says beside the answer: lines on standard error, and how far it is.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "app/progress_line.h"

namespace confab::app {

class SideLines {
 public:
  // quiet: errors only.
  explicit SideLines(bool quiet, std::FILE* out = stderr)
      : out_(out), quiet_(quiet), progress_(out) {}

  // One line each, after "confab: ", made safe; a text of several lines is several.
  void notice(std::string_view text);
  void error(std::string_view text);
  // What somebody has asked for, as it is.
  void line(std::string_view text);

  void progress(std::string_view text);
  // What keeps the answer waiting: shown as progress, and as a line where there is none to be seen
  // (a log), if it is another reason than before.
  void waiting(std::string_view progress, std::string_view reason);
  void clear_progress() noexcept { progress_.clear(); }

 private:
  void tell(std::string_view text);

  std::FILE* out_;
  bool quiet_;
  ProgressLine progress_;
  std::string reason_ = {};  // of waiting, told last
};

}  // namespace confab::app
