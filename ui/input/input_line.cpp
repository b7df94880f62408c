// SPDX-License-Identifier: MIT
#include "ui/input/input_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "ui/input/draft.h"
#include "ui/input/line_editor.h"
#include "ui/terminal/key_codes.h"
#include "ui/text.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

// U+10E000 to U+10EFFF. All of them begin with the same two bytes.
constexpr char32_t kFirst = 0x10e000, kLast = 0x10efff;
constexpr std::string_view kLead = "\xf4\x8e";
constexpr std::size_t kChipBytes = 4;

std::string character(std::size_t index) {
  return to_utf8(kFirst + static_cast<char32_t>(index));
}

// The number of the chip at the beginning of a line.
std::optional<std::size_t> number_at(std::string_view line) {
  if (line.size() < kChipBytes || !line.starts_with(kLead)) return std::nullopt;
  const char32_t c = from_utf8(line);
  return c >= kFirst && c <= kLast ? std::optional<std::size_t>(c - kFirst) : std::nullopt;
}

std::string size_of(std::size_t n_bytes) {
  if (n_bytes < 1000) return fmt::format("{} B", n_bytes);
  const double kilobytes = static_cast<double>(n_bytes) / 1000;
  if (kilobytes < 1000) return fmt::format("{:.1f} KB", kilobytes);
  return fmt::format("{:.1f} MB", kilobytes / 1000);
}

bool is_ascii_print(char c) {
  return c >= ' ' && c <= '~';
}

// Turns line breaks into \n and makes other control characters visible, because readline would take
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

std::optional<std::string> PasteChips::fold(std::string_view text) {
  const bool ended = text.ends_with('\n');
  const auto n_lines = std::ranges::count(text, '\n') + (ended ? 0 : 1);
  if (n_lines <= kMaxOpenLines || pastes_.size() == kMaxChips) return std::nullopt;
  pastes_.push_back(
      {fmt::format("[paste #{}: {} lines, {}]", pastes_.size() + 1, n_lines, size_of(text.size())),
       std::string(text)});
  return character(pastes_.size() - 1);
}

std::optional<PasteChips::Chip> PasteChips::at(std::string_view line) const {
  const std::optional<std::size_t> number = number_at(line);
  if (!number || *number >= pastes_.size()) return std::nullopt;
  const Paste& paste = pastes_[*number];
  return Chip{kChipBytes, paste.label, paste.text};
}

std::optional<std::size_t> PasteChips::nearest(std::string_view line, std::size_t caret) const {
  std::optional<std::size_t> best;
  for (std::size_t i = line.find(kLead); i < line.size(); i = line.find(kLead, i + 1)) {
    if (best && i > caret) break;
    if (at(line.substr(i))) best = i;
  }
  return best;
}

std::string PasteChips::expand(std::string_view line) const {
  std::string out;
  while (!line.empty()) {
    const std::size_t lead = std::min(line.find(kLead), line.size());
    out += line.substr(0, lead);
    line.remove_prefix(lead);
    const std::optional<Chip> chip = at(line);
    const std::size_t n_bytes = std::min(chip ? chip->n_bytes : 1, line.size());
    out += chip ? chip->text : line.substr(0, n_bytes);
    line.remove_prefix(n_bytes);
  }
  return out;
}

std::string PasteChips::without_chips(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t lead = std::min(text.find(kLead), text.size());
    out += text.substr(0, lead);
    text.remove_prefix(lead);
    if (text.empty()) break;
    const bool whole = number_at(text).has_value();
    out += whole ? std::string_view("\uFFFD") : text.substr(0, 1);
    text.remove_prefix(whole ? kChipBytes : 1);
  }
  return out;
}

InputRows::Shown InputRows::show(std::string_view text, int col) const {
  // The usual case while typing. It is handled first because a large text is laid out again at each
  // key.
  if (is_ascii_print(text[0]) && (text.size() == 1 || is_ascii_print(text[1])))
    return {1, 1, std::string(1, text[0])};
  if (text[0] == '\t') {
    const int cols = std::min(kTabStop.value - col % kTabStop.value, width_);
    return {1, cols, std::string(static_cast<std::size_t>(cols), ' ')};
  }
  if (const std::optional<PasteChips::Chip> chip = chips_.at(text)) {
    std::string label = ellipsize(chip->label, Cols{width_});
    const int cols = ui::width(label).value;
    return {chip->n_bytes, cols, std::move(label), Role::chip};
  }
  const std::size_t n_bytes = next_grapheme(text).bytes.size();
  std::string safe = sanitize(text.substr(0, n_bytes));
  const int cols = ui::width(safe).value;
  if (cols > width_) return {n_bytes, 1, "…"};
  return {n_bytes, cols, std::move(safe)};
}

void InputRows::lay_out(std::string_view text, std::size_t caret, int width) {
  if (width == width_ && caret == caret_ && text == text_) return;
  width_ = width;
  caret_ = caret;
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
    Shown shown = line_break ? Shown{1, 0} : show(text.substr(pos), col);
    const bool caret_here = !caret_found && caret_ < pos + shown.n_bytes;
    if (col + shown.cols > width || (caret_here && line_break && col == width)) {
      begin_row(pos);
      if (text[pos] == '\t') shown = show(text.substr(pos), col);
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

// The caret is on the cell of the character after it, or on the next free cell at the end of the
// text.
void InputRows::place_caret(int col) {
  caret_row_ = rows_.size() - 1;
  caret_col_ = col;
}

Line InputRows::line(std::size_t row) const {
  Line line;
  int col = 0;
  for (std::size_t pos = rows_[row].begin; pos < rows_[row].end;) {
    Shown piece = show(std::string_view(text_).substr(pos), col);
    col += piece.cols;
    pos += piece.n_bytes;
    if (line.spans.empty() || line.spans.back().style.role != piece.role)
      line.spans.push_back({std::move(piece.text), {.role = piece.role}});
    else
      line.spans.back().text += piece.text;
  }
  return line;
}

std::optional<std::size_t> InputRows::offset_at(std::ptrdiff_t n_rows) const {
  const std::ptrdiff_t target = static_cast<std::ptrdiff_t>(caret_row_) + n_rows;
  if (target < 0 || target >= std::ssize(rows_)) return std::nullopt;
  const Row& row = rows_[static_cast<std::size_t>(target)];
  const bool wraps = row.end < text_.size() && text_[row.end] != '\n';
  std::size_t pos = row.begin;
  for (int col = 0; pos < row.end;) {
    const Shown piece = show(std::string_view(text_).substr(pos), col);
    col += piece.cols;
    // The place after the last cell of a wrapped row is the start of the next row.
    if (col > caret_col_ || (wraps && pos + piece.n_bytes >= row.end)) break;
    pos += piece.n_bytes;
  }
  return pos;
}

class InputLine::Impl {
 public:
  Impl() : editor_(LineEditor::Display::none), rows_(chips_) { set_hooks(); }

  LineEditor& editor() noexcept { return editor_; }

  InputResult feed(const Key& key) {
    if (key.code == Key::Code::enter && !key.alt && breaks_line(key)) return {};
    // Escape would make readline turn the next key into a Meta key, even long afterwards.
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
  // Feeds the first form of the key that readline knows with the user's inputrc: as it came, as
  // xterm sends it, or without Shift, which selects nothing here.
  InputResult feed_editor(const Key& key) {
    Key plain = key;
    plain.shift = false;
    for (const std::string& bytes : {key.bytes, usual_bytes(key), usual_bytes(plain)})
      if (editor_.knows(bytes)) return editor_.feed(bytes);
    return editor_.feed(key.bytes);  // this ends a search
  }

  void set_hooks() {
    editor_.set_hooks({.move = [this](int n_rows) { return move(n_rows); },
                       .complete = [this](int step) { complete(step); },
                       .expand = [this] { expand_paste(); },
                       .changed_history = changed_history_});
  }

  // Breaks the line if Enter should do that here, and returns whether it did.
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

  // Moves the caret by screen rows of the last layout. Returns false if there is no such row.
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
      return {};  // a failed completion counts as one without candidates
    }
  }

  void replace_word(const std::string& text) {
    editor_.replace(word_begin_, editor_.caret(), PasteChips::without_chips(text));
  }

  PasteChips chips_;
  LineEditor editor_;
  InputRows rows_;
  std::string expanded_;   // the text that text() returned last
  std::size_t first_ = 0;  // the first row in view
  Completer completer_;
  std::function<std::optional<std::vector<std::string>>()> changed_history_;
  CompletionMenu menu_;
  std::size_t word_begin_ = 0;  // start of the word that the candidates replace
  bool menu_kept_ = false;      // the key being fed keeps the menu open
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
