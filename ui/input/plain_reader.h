// SPDX-License-Identifier: MIT
// Reads lines from stdin for the line-oriented chat. If stdin and stdout are terminals it uses
// readline, with its keys, prompt and history; otherwise it reads the lines as they come.
//
// Outside of read() the terminal is in its usual mode, and it is restored as Terminal describes. At
// most one InputLine or PlainReader may exist at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/input/input_line.h"
#include "ui/terminal/signals.h"

namespace confab::ui {

struct PlainLine {
  enum class Kind : std::uint8_t {
    line,         // `text`, may be empty
    end,          // end of file, or Ctrl+D on an empty line
    interrupted,  // by `signal`: SIGINT (Ctrl+C), SIGTERM or SIGHUP; the typed text is dropped
  };
  Kind kind;
  std::string text = {};
  int signal = 0;
  // The part of the text that was or may have been pasted: what the terminal marks as pasted, and
  // what came before the prompt.
  std::string pasted = {};
};

class PlainReader {
 public:
  // `signals` is borrowed and must outlive the reader. The reader takes signals from it while it
  // waits; it handles a resize and Ctrl+Z itself. With wants_accessible() it writes no escape
  // sequences.
  explicit PlainReader(Signals& signals);
  ~PlainReader();
  PlainReader(const PlainReader&) = delete;
  PlainReader& operator=(const PlainReader&) = delete;

  bool interactive() const noexcept;  // uses readline
  // Waits for a message: a line, and the lines below it as long as the text ends in a backslash, is
  // an open """ block (ui/input/draft.h) or is part of a paste. The lines of a paste are one
  // message, which needs a separate Enter. The prompt is shown only when interactive.
  PlainLine read(std::string_view prompt);

  // For the time in which something else writes to the terminal: poll typing_fd() for POLLIN, then
  // call take_typed(). The descriptor is below 0 if no input will come or if the input belongs to
  // another program (as after `bg`). Each of the lines waits for a read(), whatever their number,
  // and even if Ctrl+C flushes the terminal's input.
  int typing_fd() const noexcept;
  void take_typed();

  // Reads one line that answers a question. Lines that came before it keep waiting for read().
  PlainLine ask(std::string_view prompt);

  // Lets `tell` write to the terminal while read() waits for a person. It is called when `fd` is
  // readable and `has_news` returns true. The line being typed is removed before the call and shown
  // again after it. A descriptor below 0 is never readable.
  struct Watch {
    std::function<int()> fd = [] { return -1; };
    std::function<bool()> has_news = {};
    std::function<void()> tell = {};
  };
  void watch(Watch watch);

  // The same as in InputLine. These have no effect when not interactive.
  void set_completer(Completer completer);
  void set_history(const std::vector<std::string>& entries);
  void set_history_source(std::function<std::optional<std::vector<std::string>>()> changed);
  void add_history(std::string_view entry);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::ui
