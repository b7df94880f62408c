// SPDX-License-Identifier: MIT
#include "ui/input_line.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ui/line_editor.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

// A screen line of the text: bytes [begin, end), without the line break.
struct Row {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// How a piece of the text is shown at a column: never wider than the width.
struct Shown {
  std::size_t n_bytes = 1;
  int cols = 1;
  std::string text = {};
};

bool is_ascii_print(char c) {
  return c >= ' ' && c <= '~';
}

Shown show(std::string_view text, int col, int width) {
  // What typing mostly is; a large paste is laid out at each key.
  if (is_ascii_print(text[0]) && (text.size() == 1 || is_ascii_print(text[1])))
    return {1, 1, std::string(1, text[0])};
  if (text[0] == '\t') {
    const int cols = std::min(kTabStop.value - col % kTabStop.value, width);
    return {1, cols, std::string(static_cast<std::size_t>(cols), ' ')};
  }
  const std::size_t n_bytes = next_grapheme(text).bytes.size();
  std::string safe = sanitize(text.substr(0, n_bytes));
  const int cols = ui::width(safe).value;
  if (cols > width) return {n_bytes, 1, "…"};
  return {n_bytes, cols, std::move(safe)};
}

std::string clean_paste(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool c1 = c == '\xC2' && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                    static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c == '\r') {
      clean += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    } else if (c1) {
      ++i;
    } else if (c == '\n' || c == '\t' || !(c >= 0 && (c < ' ' || c == '\x7f'))) {
      clean += c;
    }
  }
  return clean;
}

}  // namespace

class InputLine::Impl {
 public:
  Impl() : editor_(LineEditor::Display::none) {
    editor_.set_vertical_move([this](int n_rows) { return move(n_rows); });
  }

  LineEditor& editor() noexcept { return editor_; }

  InputResult feed(const Key& key) {
    if (key.code == Key::Code::enter && key.shift && !key.alt) {
      editor_.insert("\n");
      return {};
    }
    // Escape would make the next key a Meta one, long after it was pressed.
    if (key.code == Key::Code::escape && !editor_.vi_mode() && !editor_.searching()) return {};
    if (key.bytes.empty()) return {};
    return editor_.feed(key.bytes);
  }

  InputLayout layout(Cols width, Rows rows) {
    lay_out(std::max(width.value, 1));
    const std::size_t n_shown =
        std::min(rows_.size(), static_cast<std::size_t>(std::max(rows.value, 1)));
    first_ =
        std::clamp(first_, caret_row_ + 1 > n_shown ? caret_row_ + 1 - n_shown : 0, caret_row_);
    first_ = std::min(first_, rows_.size() - n_shown);
    InputLayout out;
    for (std::size_t i = first_; i < first_ + n_shown; ++i) out.lines.push_back(line(rows_[i]));
    out.caret = {Rows{static_cast<int>(caret_row_ - first_)}, Cols{caret_col_}};
    return out;
  }

 private:
  // Breaks the text into rows and finds the caret: on the cell of what follows it, at the end of
  // the text on the next free one.
  void lay_out(int width) {
    const std::string_view text = editor_.text();
    if (width == width_ && editor_.caret() == caret_ && text == text_) return;
    width_ = width;
    caret_ = editor_.caret();
    text_ = text;
    rows_.assign(1, {});
    int col = 0;
    std::size_t pos = 0;
    const auto begin_row = [&](std::size_t at) {
      rows_.back().end = pos;
      rows_.push_back({at, at});
      col = 0;
    };
    bool caret_found = false;
    while (pos < text.size()) {
      const bool line_break = text[pos] == '\n';
      Shown shown = line_break ? Shown{1, 0} : show(text.substr(pos), col, width);
      const bool caret_here = !caret_found && caret_ < pos + shown.n_bytes;
      if (col + shown.cols > width || (caret_here && line_break && col == width)) {
        begin_row(pos);
        if (text[pos] == '\t') shown = show(text.substr(pos), col, width);
      }
      if (caret_here) place_caret(col);
      caret_found = caret_found || caret_here;
      if (line_break) begin_row(pos + 1);
      pos += shown.n_bytes;
      col += shown.cols;
    }
    if (col == width && !caret_found) begin_row(pos);
    rows_.back().end = pos;
    if (!caret_found) place_caret(col);
  }

  void place_caret(int col) {
    caret_row_ = rows_.size() - 1;
    caret_col_ = col;
  }

  Line line(const Row& row) const {
    std::string shown;
    int col = 0;
    for (std::size_t pos = row.begin; pos < row.end;) {
      const Shown piece = show(std::string_view(text_).substr(pos), col, width_);
      shown += piece.text;
      col += piece.cols;
      pos += piece.n_bytes;
    }
    if (shown.empty()) return {};
    return {{{std::move(shown), {}}}};
  }

  // Moves the caret by screen lines of the last width; false: there is no such line.
  bool move(int n_rows) {
    lay_out(width_ > 0 ? width_ : std::numeric_limits<int>::max());
    const std::ptrdiff_t target = static_cast<std::ptrdiff_t>(caret_row_) + n_rows;
    if (target < 0 || target >= std::ssize(rows_)) return false;
    const Row& row = rows_[static_cast<std::size_t>(target)];
    const bool wraps = row.end < text_.size() && text_[row.end] != '\n';
    std::size_t pos = row.begin;
    for (int col = 0; pos < row.end;) {
      const Shown piece = show(std::string_view(text_).substr(pos), col, width_);
      col += piece.cols;
      // Past the last cell of a wrapped row is the start of the next one.
      if (col > caret_col_ || (wraps && pos + piece.n_bytes >= row.end)) break;
      pos += piece.n_bytes;
    }
    editor_.set_caret(pos);
    return true;
  }

  LineEditor editor_;
  // The layout of text_ with its caret_ at width_; 0: none yet.
  std::string text_;
  std::size_t caret_ = 0;
  int width_ = 0;
  std::vector<Row> rows_;
  std::size_t caret_row_ = 0;
  int caret_col_ = 0;
  std::size_t first_ = 0;  // the first row in view
};

InputLine::InputLine() : impl_(std::make_unique<Impl>()) {}
InputLine::~InputLine() = default;

InputResult InputLine::feed(const Key& key) {
  return impl_->feed(key);
}
void InputLine::paste(std::string_view text) {
  impl_->editor().insert(clean_paste(text));
}
std::string_view InputLine::text() const noexcept {
  return impl_->editor().text();
}
std::size_t InputLine::caret() const noexcept {
  return impl_->editor().caret();
}
std::string InputLine::message() const {
  return sanitize(impl_->editor().message());
}
bool InputLine::vi_mode() const noexcept {
  return impl_->editor().vi_mode();
}
void InputLine::set_text(std::string_view text) {
  impl_->editor().set_text(clean_paste(text));
}
void InputLine::clear() {
  impl_->editor().clear();
}
void InputLine::set_completer(Completer completer) {
  impl_->editor().set_completer(std::move(completer));
}
void InputLine::set_history(const std::vector<std::string>& entries) {
  impl_->editor().set_history(entries);
}
void InputLine::add_history(std::string_view entry) {
  impl_->editor().add_history(entry);
}
InputLayout InputLine::layout(Cols width, Rows rows) {
  return impl_->layout(width, rows);
}

}  // namespace confab::ui
