// SPDX-License-Identifier: MIT
// Writes streamed text to a descriptor. On a terminal the text is made safe to show; elsewhere it
// is written unchanged.
#pragma once

#include <string_view>

#include "ui/text.h"

namespace confab::ui {

// How a failure to write is handled.
enum class WriteFaults {
  thrown,
  ignored,  // the text is lost; for standard error, which must not end the program
};

class PlainWriter {
 public:
  // `fd` is borrowed and must outlive the writer.
  explicit PlainWriter(int fd, WriteFaults faults = WriteFaults::thrown);
  PlainWriter(int fd, bool is_terminal, WriteFaults faults = WriteFaults::thrown)
      : fd_(fd), is_terminal_(is_terminal), faults_(faults) {}

  bool is_terminal() const noexcept { return is_terminal_; }
  // Writes the text at once. It may be cut anywhere. Returns false if the reader is gone (EPIPE;
  // SIGPIPE must be ignored for that). Throws TerminalError on any other failure (a full disk, a
  // terminal that is gone), unless faults are ignored.
  bool write(std::string_view text);
  // Ends the text. Writes what waited for the rest of a character and, if `end_line` is set, a line
  // break if the last line lacks one. Another text may follow.
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
