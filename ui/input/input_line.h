// SPDX-License-Identifier: MIT
// The text being written: GNU readline's keys, history and ~/.inputrc ("$if confab", vi mode), on a
// multi-line text that the views draw. Up and Down move within the text, and step through the
// history from its first or last row. Alt+Enter and Ctrl+J break the line, and so does Enter after
// a backslash or in a """ block. Otherwise Enter submits the text. A long paste is folded to a
// chip, which every key treats as one character.
//
// readline keeps its state in globals, so at most one InputLine or PlainReader may exist at a time.
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

// Returns candidates for `word`, the word before the caret; `before` is the text to the left of it.
// Called on Tab.
using Completer =
    std::function<std::vector<Candidate>(std::string_view before, std::string_view word)>;

struct InputResult {
  std::optional<std::string> submitted;  // Enter submitted this text; the line is empty again
  bool end = false;                      // Ctrl+D on an empty line
  bool edit = false;                     // Ctrl+G, Ctrl+X Ctrl+E: edit text() in another program
};

// The screen lines around the caret that fit.
struct InputLayout {
  std::vector<Line> lines;  // at least one
  Point caret;              // in `lines`; its column is less than the width
};

class InputLine {
 public:
  InputLine();
  ~InputLine();
  InputLine(const InputLine&) = delete;
  InputLine& operator=(const InputLine&) = delete;

  // Feeds a key that is not a Command. Escape is fed too, because it matters in vi mode and in a
  // search.
  InputResult feed(const Key& key);
  // Inserts the text. CR and CR LF become \n, and control characters except \t become visible. A
  // text of more than PasteChips::kMaxOpenLines lines is folded to a chip such as "[paste #1: 34
  // lines, 1.2 KB]". text() and the submitted text contain all of it.
  void paste(std::string_view text);
  // Replaces the chip at the caret by its text (Ctrl+O does the same). The chip under the caret
  // comes first, then the last one before it. Returns false if there is no chip.
  bool expand_paste();

  std::string_view text() const;  // UTF-8; valid until the text changes
  std::size_t caret() const;      // byte offset into text()
  // The text that readline shows in place of a prompt: a search, a numeric argument. Sanitised;
  // empty if there is nothing to show.
  std::string message() const;
  bool vi_mode() const noexcept;

  void set_text(std::string_view text);  // moves the caret to its end
  void clear();                          // also ends a search; for Ctrl+C

  // Tab inserts the common prefix of the candidates and then steps through them; Shift+Tab steps
  // backwards. Any other key closes the list.
  void set_completer(Completer completer);
  // The list of candidates as CompletionMenu lays it out. Empty if there is nothing to choose from.
  std::vector<Line> menu(Cols width, Rows rows) const;
  // The entries are ordered from oldest to newest. add_history() ignores blank entries and an entry
  // equal to the last one.
  void set_history(const std::vector<std::string>& entries);
  void add_history(std::string_view entry);
  // `changed` is called before the history is searched or stepped through. It returns the whole
  // history if other programs have changed it, or nullopt if they have not.
  void set_history_source(std::function<std::optional<std::vector<std::string>>()> changed);

  // Returns the lines around the caret: at most `rows` lines of at most `width` columns. Both must
  // be at least one.
  InputLayout layout(Cols width, Rows rows);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Long pastes, folded. In the line each paste is one private-use character, which the line editor
// moves over, deletes and restores like any other. Typed and pasted text must not contain such
// characters; see without_chips().
class PasteChips {
 public:
  // Longer pastes are folded.
  static constexpr int kMaxOpenLines = 10;
  static constexpr std::size_t kMaxChips = 4000;

  // Returns the character that stands for the text from now on. It stays valid after it is deleted
  // or sent, because undo may bring it back. Returns nullopt if the text is short or there are
  // kMaxChips chips.
  std::optional<std::string> fold(std::string_view text);

  // The chip at the beginning of a line. A label looks like "[paste #1: 34 lines, 1.2 KB]".
  struct Chip {
    std::size_t n_bytes;  // size of its character
    std::string_view label;
    std::string_view text;
  };
  std::optional<Chip> at(std::string_view line) const;
  // Returns where the nearest chip begins: the one under the caret, else the last one before it,
  // else the first one in the line.
  std::optional<std::size_t> nearest(std::string_view line, std::size_t caret) const;
  bool empty() const noexcept { return pastes_.empty(); }

  // Returns the line with each chip replaced by its text.
  std::string expand(std::string_view line) const;

  // Replaces characters that could be taken for a chip by U+FFFD.
  static std::string without_chips(std::string_view text);

 private:
  struct Paste {
    std::string label;
    std::string text;
  };
  std::vector<Paste> pastes_;
};

// The text being written, broken into screen rows, with the position of the caret.
class InputRows {
 public:
  // The chips are borrowed and must outlive the rows.
  explicit InputRows(const PasteChips& chips) : chips_(chips) {}

  // Lays out untrusted text. `caret` is a byte offset in it, and `width` is at least one column.
  // Costs nothing if none of them changed.
  void lay_out(std::string_view text, std::size_t caret, int width);
  int width() const noexcept { return width_; }  // of the last layout; 0 before the first

  std::size_t size() const noexcept { return rows_.size(); }
  std::size_t caret_row() const noexcept { return caret_row_; }
  int caret_col() const noexcept { return caret_col_; }
  Line line(std::size_t row) const;

  // Returns the text offset nearest to the caret's column, `n_rows` rows away. Returns nullopt if
  // there is no such row.
  std::optional<std::size_t> offset_at(std::ptrdiff_t n_rows) const;

 private:
  // Bytes [begin, end) of the text, without the line break.
  struct Row {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // How a piece of text looks at a column. It is never wider than the width.
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
