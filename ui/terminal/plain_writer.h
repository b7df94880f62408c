// SPDX-License-Identifier: MIT
// Text to a descriptor as it streams: made safe to show on a terminal, as it is elsewhere.
#pragma once

#include <string_view>

#include "ui/text.h"

namespace confab::ui {

class PlainWriter {
 public:
  explicit PlainWriter(int fd);  // borrowed; must outlive the writer
  PlainWriter(int fd, bool is_terminal) : fd_(fd), is_terminal_(is_terminal) {}

  bool is_terminal() const noexcept { return is_terminal_; }
  // Written at once; any cut of the text will do. False: nobody reads any more (EPIPE, EIO), and
  // SIGPIPE must be ignored for that. Throws TerminalError when writing fails otherwise (disk
  // full).
  bool write(std::string_view text);
  // The text ends here: what waited for the rest of a character is written, and a line break if the
  // last line lacks one and `end_line` is set. A new text may follow.
  bool finish(bool end_line = true);

 private:
  bool put(std::string_view bytes);

  int fd_;
  bool is_terminal_;
  bool at_line_start_ = true;
  Sanitizer sanitizer_;
};

}  // namespace confab::ui
