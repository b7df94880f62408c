// SPDX-License-Identifier: MIT
// The text being written: GNU readline's keys, history and ~/.inputrc ("$if confab", vi mode) on a
// multi-line text that the views draw. Up and Down move inside the text and only from its edge
// through the history. Alt+Enter and Ctrl+J break the line, and so does Enter behind a backslash or
// in a """ block; else Enter submits. Long pastes are folded to a chip, one character to every key.
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
#include "ui/input/completion_menu.h"
#include "ui/style.h"

namespace confab::ui {

// Candidates for the word before the caret; `before` is what is left of that word. Called on Tab.
using Completer =
    std::function<std::vector<Candidate>(std::string_view before, std::string_view word)>;

struct InputResult {
  std::optional<std::string> submitted;  // Enter was pressed on this text; the line is empty again
  bool end = false;                      // Ctrl+D on an empty line
  bool edit = false;  // Ctrl+G, Ctrl+X Ctrl+E: text() is to be edited in another program
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
  // Inserted as it is: CR and CR LF become \n, control characters but \t their pictures. A text of
  // more than PasteChips::kMaxOpenLines lines is shown folded to a chip such as
  // "[paste #1: 34 lines, 1.2 KB]"; text() and what is submitted have all of it.
  void paste(std::string_view text);
  // Puts a folded paste in the place of the chip that the caret is on or behind (Ctrl+O does so,
  // too). False: there is none.
  bool expand_paste();

  std::string_view text() const;  // UTF-8; valid until the next call that changes it
  std::size_t caret() const;      // byte offset into text()
  // What readline shows instead of a prompt: a search, a numeric argument. Sanitised; empty:
  // nothing.
  std::string message() const;
  bool vi_mode() const noexcept;

  void set_text(std::string_view text);  // the caret goes to its end
  void clear();                          // also leaves a search; Ctrl+C

  // Tab completes what the candidates have in common, then goes through them, Shift+Tab backwards;
  // any other key closes the list.
  void set_completer(Completer completer);
  // The list of candidates, as CompletionMenu lays it out; empty when there is none to choose from.
  std::vector<Line> menu(Cols width, Rows rows) const;
  // Oldest first. add_history drops an entry equal to the one before it, and blank ones.
  void set_history(const std::vector<std::string>& entries);
  void add_history(std::string_view entry);
  // Asked before the history is searched or stepped into: all of it, when other programs have
  // changed it; nullopt: it is as it was.
  void set_history_source(std::function<std::optional<std::vector<std::string>>()> changed);

  // At most `rows` lines of at most `width` columns (both at least one), those around the caret.
  InputLayout layout(Cols width, Rows rows);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Long pastes folded away: in the line being written each is one character of a private use plane,
// which the line editor moves over, deletes and brings back as it does any other. Nothing that is
// typed or pasted may hold such a character itself: see without_chips().
class PasteChips {
 public:
  // Pastes of more lines are folded.
  static constexpr int kMaxOpenLines = 10;
  static constexpr std::size_t kMaxChips = 4000;

  // The character that stands for a text from now on, also after it was deleted or sent: it may
  // come back by undo. nullopt: the text is short, or there are kMaxChips.
  std::optional<std::string> fold(std::string_view text);

  // The chip that a line begins with. Its label: "[paste #1: 34 lines, 1.2 KB]".
  struct Chip {
    std::size_t n_bytes;  // of its character
    std::string_view label;
    std::string_view text;
  };
  std::optional<Chip> at(std::string_view line) const;
  // Where the chip begins that is under the caret, else the last one before it, else the first one.
  std::optional<std::size_t> nearest(std::string_view line, std::size_t caret) const;
  bool empty() const noexcept { return pastes_.empty(); }

  // A line with the texts in the place of their chips.
  std::string expand(std::string_view line) const;

  // Characters that could be taken for a chip made U+FFFD.
  static std::string without_chips(std::string_view text);

 private:
  struct Paste {
    std::string label;
    std::string text;
  };
  std::vector<Paste> pastes_;
};

// The text being written, broken into the rows of a screen, with the caret among them.
class InputRows {
 public:
  // Borrowed; must outlive the rows.
  explicit InputRows(const PasteChips& chips) : chips_(chips) {}

  // Untrusted text, the caret's byte offset in it, at least one column. Costs nothing when none of
  // these has changed.
  void lay_out(std::string_view text, std::size_t caret, int width);
  int width() const noexcept { return width_; }  // of the last layout; 0: none yet

  std::size_t size() const noexcept { return rows_.size(); }
  std::size_t caret_row() const noexcept { return caret_row_; }
  int caret_col() const noexcept { return caret_col_; }
  Line line(std::size_t row) const;

  // The offset in the text nearest to the caret's column, a number of rows away; nullopt: there is
  // no such row.
  std::optional<std::size_t> offset_at(std::ptrdiff_t n_rows) const;

 private:
  // Bytes [begin, end) of the text, without the line break.
  struct Row {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // How a piece of the text is shown at a column: never wider than the width.
  struct Shown {
    std::size_t n_bytes = 1;
    int cols = 1;
    std::string text = {};
    Role role = Role::text;
  };

  Shown show(std::string_view text, int col) const;
  void place_caret(int col);

  const PasteChips& chips_;
  std::string text_;
  std::size_t caret_ = 0;
  int width_ = 0;
  std::vector<Row> rows_;
  std::size_t caret_row_ = 0;
  int caret_col_ = 0;
};

}  // namespace confab::ui
