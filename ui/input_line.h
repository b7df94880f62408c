// SPDX-License-Identifier: MIT
// The text being written: GNU readline's keys, history and ~/.inputrc ("$if confab", vi mode) on a
// multi-line text that the views draw. Up and Down move inside the text and only from its edge
// through the history; Alt+Enter and Ctrl+J break the line; Enter submits.
//
// readline is one set of globals, so at most one InputLine or PlainReader may exist at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/event.h"
#include "ui/frame.h"
#include "ui/style.h"

namespace confab::ui {

// Candidates for the word before the caret, each a whole replacement for it; `before` is what is
// left of that word. Called on Tab.
using Completer =
    std::function<std::vector<std::string>(std::string_view before, std::string_view word)>;

struct InputResult {
  std::optional<std::string> submitted;  // Enter was pressed on this text; the line is empty again
  bool end = false;                      // Ctrl+D on an empty line
};

// The part of the text around the caret that fits, in screen lines.
struct InputLayout {
  std::vector<Line> lines;  // at least one
  Point caret;              // in `lines`; the column is less than the width
};

class InputLine {
 public:
  InputLine();
  ~InputLine();
  InputLine(const InputLine&) = delete;
  InputLine& operator=(const InputLine&) = delete;

  // A key that is no Command of ours; also Escape, which matters in vi mode and in a search.
  InputResult feed(const Key& key);
  // Inserted as it is: CR and CR LF become \n, control characters but \t are dropped.
  void paste(std::string_view text);

  std::string_view text() const noexcept;  // UTF-8; valid until the next call that changes it
  std::size_t caret() const noexcept;      // byte offset into text()
  // What readline shows instead of a prompt: a search, a numeric argument, candidates for
  // completion. Sanitised; empty: nothing.
  std::string message() const;
  bool vi_mode() const noexcept;

  void set_text(std::string_view text);  // the caret goes to its end
  void clear();                          // also leaves a search; Ctrl+C

  void set_completer(Completer completer);
  // Oldest first. add_history drops an entry equal to the one before it, and blank ones.
  void set_history(const std::vector<std::string>& entries);
  void add_history(std::string_view entry);

  // At most `rows` lines of at most `width` columns (both at least one), those around the caret.
  InputLayout layout(Cols width, Rows rows);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::ui
