// SPDX-License-Identifier: MIT
#include "ui/input/input_line.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ui/input/draft.h"
#include "ui/input/input_rows.h"
#include "ui/input/line_editor.h"
#include "ui/input/paste_chips.h"
#include "ui/terminal/key_codes.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

// Line breaks as \n, and other control characters in the form that shows them: readline would take
// them for keys.
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
      clean += sanitize(text.substr(i++, 2));
    } else if (c == '\n' || c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7f')) {
      clean += c;
    } else {
      clean += sanitize(text.substr(i, 1));
    }
  }
  return PasteChips::without_chips(clean);
}

}  // namespace

class InputLine::Impl {
 public:
  Impl() : editor_(LineEditor::Display::none), rows_(chips_) { set_hooks(); }

  LineEditor& editor() noexcept { return editor_; }

  InputResult feed(const Key& key) {
    if (key.code == Key::Code::enter && !key.alt && breaks_line(key)) return {};
    // Escape would make the next key a Meta one, long after it was pressed.
    const bool escape = key.code == Key::Code::escape;
    if (escape && !editor_.vi_mode() && !editor_.searching()) return menu_.close(), InputResult{};
    if (key.bytes.empty() || PasteChips::without_chips(key.bytes) != key.bytes) return {};
    menu_kept_ = false;
    InputResult result = feed_editor(key);
    if (!menu_kept_) menu_.close();
    if (result.submitted) result.submitted = message_of(chips_.expand(*result.submitted));
    return result;
  }

  void paste(std::string_view text) {
    menu_.close();
    const std::string clean = clean_paste(text);
    editor_.insert(chips_.fold(clean).value_or(clean));
  }

  bool expand_paste() {
    const auto begin = chips_.nearest(editor_.text(), editor_.caret());
    if (!begin) return false;
    const auto chip = chips_.at(editor_.text().substr(*begin));
    editor_.replace(*begin, *begin + chip->n_bytes, chip->text);
    return true;
  }

  std::string_view text() {
    if (chips_.empty()) return editor_.text();
    return expanded_ = chips_.expand(editor_.text());
  }
  std::size_t caret() const {
    if (chips_.empty()) return editor_.caret();
    return chips_.expand(editor_.text().substr(0, editor_.caret())).size();
  }

  void set_text(std::string_view text) {
    menu_.close();
    editor_.set_text(clean_paste(text));
  }
  void clear() {
    menu_.close();
    editor_.clear();
  }

  void set_completer(Completer completer) { completer_ = std::move(completer); }
  std::vector<Line> menu(Cols width, Rows rows) const { return menu_.lines(width, rows); }
  void set_history_source(std::function<std::optional<std::vector<std::string>>()> changed) {
    changed_history_ = std::move(changed);
    set_hooks();
  }

  InputLayout layout(Cols width, Rows rows) {
    rows_.lay_out(editor_.text(), editor_.caret(), std::max(width.value, 1));
    const std::size_t n_shown =
        std::min(rows_.size(), static_cast<std::size_t>(std::max(rows.value, 1)));
    const std::size_t caret = rows_.caret_row();
    first_ = std::clamp(first_, caret + 1 > n_shown ? caret + 1 - n_shown : 0, caret);
    first_ = std::min(first_, rows_.size() - n_shown);
    InputLayout out;
    for (std::size_t i = first_; i < first_ + n_shown; ++i) out.lines.push_back(rows_.line(i));
    out.caret = {Rows{static_cast<int>(caret - first_)}, Cols{rows_.caret_col()}};
    return out;
  }

 private:
  // By the first form of the key that readline, with the user's inputrc, knows: as it came, as
  // xterm sends it, and without Shift, which selects nothing here.
  InputResult feed_editor(const Key& key) {
    Key plain = key;
    plain.shift = false;
    for (const std::string& bytes : {key.bytes, usual_bytes(key), usual_bytes(plain)})
      if (editor_.knows(bytes)) return editor_.feed(bytes);
    return editor_.feed(key.bytes);  // which ends a search
  }

  void set_hooks() {
    editor_.set_hooks({.move = [this](int n_rows) { return move(n_rows); },
                       .complete = [this](int step) { complete(step); },
                       .expand = [this] { expand_paste(); },
                       .changed_history = changed_history_});
  }

  // Whether Enter breaks the line here; it has done so then.
  bool breaks_line(const Key& key) {
    if (editor_.searching()) return false;
    const std::string_view line = editor_.text();
    if (key.shift || is_open_block(text())) {
      editor_.insert("\n");
    } else if (ends_in_backslash(line) && editor_.caret() == line.size()) {
      editor_.replace(line.size() - 1, line.size(), "\n");
    } else {
      return false;
    }
    menu_.close();
    return true;
  }

  // Moves the caret by screen lines of the last width; false: there is no such line.
  bool move(int n_rows) {
    const int width = rows_.width() > 0 ? rows_.width() : std::numeric_limits<int>::max();
    rows_.lay_out(editor_.text(), editor_.caret(), width);
    const std::optional<std::size_t> offset = rows_.offset_at(n_rows);
    if (offset) editor_.set_caret(*offset);
    return offset.has_value();
  }

  void complete(int step) {
    if (menu_.is_open()) {
      replace_word(menu_.step(step).text);
      menu_kept_ = true;
      return;
    }
    const std::string_view before = editor_.text().substr(0, editor_.caret());
    word_begin_ = word_begin(before);
    const std::string word(before.substr(word_begin_));
    std::vector<Candidate> found = candidates(before.substr(0, word_begin_), word);
    if (found.empty()) return;
    const std::string common = common_prefix(found);
    const bool whole = found.size() == 1;
    if (common.size() > word.size() || whole)
      replace_word(whole && !common.ends_with('/') ? common + ' ' : common);
    if (whole) return;
    menu_.open(std::move(found));
    menu_kept_ = true;
  }

  std::vector<Candidate> candidates(std::string_view before, std::string_view word) const {
    if (!completer_) return {};
    try {
      return completer_(before, word);
    } catch (const std::exception&) {
      return {};  // what a failed completion amounts to
    }
  }

  void replace_word(const std::string& text) {
    editor_.replace(word_begin_, editor_.caret(), PasteChips::without_chips(text));
  }

  PasteChips chips_;
  LineEditor editor_;
  InputRows rows_;
  std::string expanded_;   // what text() has given out
  std::size_t first_ = 0;  // the first row in view
  Completer completer_;
  std::function<std::optional<std::vector<std::string>>()> changed_history_;
  CompletionMenu menu_;
  std::size_t word_begin_ = 0;  // of the word that the menu's candidates replace
  bool menu_kept_ = false;      // by the key that is being fed
};

InputLine::InputLine() : impl_(std::make_unique<Impl>()) {}
InputLine::~InputLine() = default;

InputResult InputLine::feed(const Key& key) {
  return impl_->feed(key);
}
void InputLine::paste(std::string_view text) {
  impl_->paste(text);
}
bool InputLine::expand_paste() {
  return impl_->expand_paste();
}
std::string_view InputLine::text() const {
  return impl_->text();
}
std::size_t InputLine::caret() const {
  return impl_->caret();
}
std::string InputLine::message() const {
  return sanitize(impl_->editor().message());
}
bool InputLine::vi_mode() const noexcept {
  return impl_->editor().vi_mode();
}
void InputLine::set_text(std::string_view text) {
  impl_->set_text(text);
}
void InputLine::clear() {
  impl_->clear();
}
void InputLine::set_completer(Completer completer) {
  impl_->set_completer(std::move(completer));
}
std::vector<Line> InputLine::menu(Cols width, Rows rows) const {
  return impl_->menu(width, rows);
}
void InputLine::set_history_source(
    std::function<std::optional<std::vector<std::string>>()> changed) {
  impl_->set_history_source(std::move(changed));
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
