// SPDX-License-Identifier: MIT
// Text to a descriptor as it streams: made safe to show on a terminal, as it is elsewhere.
#pragma once

#include <string_view>

#include "ui/text.h"

namespace confab::ui {

// What becomes of text that cannot be written.
enum class WriteFaults {
  thrown,
  ignored,  // it is lost: on standard error, which must not end the program
};

class PlainWriter {
 public:
  // fd is borrowed; it must outlive the writer.
  explicit PlainWriter(int fd, WriteFaults faults = WriteFaults::thrown);
  PlainWriter(int fd, bool is_terminal, WriteFaults faults = WriteFaults::thrown)
      : fd_(fd), is_terminal_(is_terminal), faults_(faults) {}

  bool is_terminal() const noexcept { return is_terminal_; }
  // Written at once; any cut of the text will do. False: nobody reads any more (EPIPE), and SIGPIPE
  // must be ignored for that. Throws TerminalError when writing fails otherwise (a full disk, a
  // terminal that has gone), unless faults are ignored.
  bool write(std::string_view text);
  // The text ends here: what waited for the rest of a character is written, and a line break if the
  // last line lacks one and `end_line` is set. A new text may follow.
  bool finish(bool end_line = true);

 private:
  bool put(std::string_view bytes);

  int fd_;
  bool is_terminal_;
  WriteFaults faults_;
  bool at_line_start_ = true;
  Sanitizer sanitizer_;
};

}  // namespace confab::ui
