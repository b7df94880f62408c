// SPDX-License-Identifier: MIT
// Lines from stdin for the line-oriented chat: through readline, with its keys, prompt and history,
// when stdin and stdout are terminals, else as they come.
//
// The terminal is in its usual mode outside of read(), and put back as Terminal says. At most one
// InputLine or PlainReader may exist at a time.
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
    line,         // `text`, perhaps empty
    end,          // end of file, or Ctrl+D on an empty line
    interrupted,  // by `signal`: SIGINT (Ctrl+C), SIGTERM or SIGHUP; what was typed is dropped
  };
  Kind kind;
  std::string text = {};
  int signal = 0;
  // What of the text was, or may have been, pasted: what a terminal says so of, and what came
  // before its prompt.
  std::string pasted = {};
};

class PlainReader {
 public:
  // `signals` (borrowed) must outlive the reader and is taken from while it waits: it acts on a
  // resize and on Ctrl+Z by itself. With wants_accessible() no escape sequence is written.
  explicit PlainReader(Signals& signals);
  ~PlainReader();
  PlainReader(const PlainReader&) = delete;
  PlainReader& operator=(const PlainReader&) = delete;

  bool interactive() const noexcept;  // through readline
  // Waits for a message: a line, and those below it while it ends in a backslash, is an open """
  // block (ui/input/draft.h), or is part of a paste: the lines of a paste are one message, which
  // waits for an Enter of its own. The prompt is shown only when interactive.
  PlainLine read(std::string_view prompt);

  // While somebody else writes to the terminal: poll typing_fd() for POLLIN (below 0: nothing will
  // come, or what is typed is another's, as after `bg`), then take_typed(). The lines wait, each
  // for a read(), however many they are and whatever Ctrl+C makes the terminal forget.
  int typing_fd() const noexcept;
  void take_typed();

  // Reads one line for a question of its own: those that came before it wait on.
  PlainLine ask(std::string_view prompt);

  // While a person is waited for and `fd` becomes readable, and `has_news` says that it is worth
  // it, `tell` is called, which writes to the terminal: the line that is being typed makes way and
  // comes back. Below 0 it is not readable.
  struct Watch {
    std::function<int()> fd = [] { return -1; };
    std::function<bool()> has_news = {};
    std::function<void()> tell = {};
  };
  void watch(Watch watch);

  // As InputLine's; without effect when not interactive.
  void set_completer(Completer completer);
  void set_history(const std::vector<std::string>& entries);
  void set_history_source(std::function<std::optional<std::vector<std::string>>()> changed);
  void add_history(std::string_view entry);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::ui
