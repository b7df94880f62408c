// SPDX-License-Identifier: MIT
#include "ui/transcript/picker.h"

#include <algorithm>
#include <utility>

#include "ui/fuzzy.h"
#include "ui/transcript/status_bar.h"

namespace confab::ui {
namespace {

constexpr Cols kBesideWidth{80};  // from this width on, the preview is beside the list
constexpr Rows kBelowRows{16};    // from this height on, in narrower frames, below it

// Draws as much of a text as there is room for, with the marked bytes highlighted. Returns the
// columns used.
int draw_marked(Frame& frame, Point at, Cols room, std::string_view text,
                const std::vector<std::size_t>& marked, Style style) {
  const int begin = at.col.value, end = begin + room.value;
  const bool whole = width(one_line(text)) <= room;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view bytes = next_grapheme(text.substr(i)).bytes;
    const std::string shown = one_line(bytes);
    if (at.col.value + width(shown).value > end - (whole ? 0 : 1)) {
      at.col.value += frame.write(at, clip("…", Cols{end - at.col.value}), style).value;
      break;
    }
    Style own = style;
    own.bold = own.underline = std::ranges::binary_search(marked, i);
    at.col.value += frame.write(at, shown, own).value;
    i += bytes.size();
  }
  return at.col.value - begin;
}

}  // namespace

std::vector<PickerEntry> fuzzy_filter(const std::vector<PickerEntry>& entries,
                                      std::string_view query) {
  std::vector<std::pair<int, PickerEntry>> found;
  for (const PickerEntry& entry : entries)
    if (auto match = fuzzy_match(entry.text, query)) {
      found.emplace_back(match->score, entry);
      found.back().second.marked = std::move(match->at);
    }
  std::ranges::stable_sort(found, std::greater{}, &std::pair<int, PickerEntry>::first);
  std::vector<PickerEntry> out;
  for (auto& [score, entry] : found) out.push_back(std::move(entry));
  return out;
}

Picker::Picker(Source source) : source_(std::move(source)), query_(source_.title + " ›") {
  find();
}

const PickerEntry* Picker::current() const noexcept {
  return chosen_ < entries_.size() ? &entries_[chosen_] : nullptr;
}

void Picker::find() {
  entries_ = source_.find(query());
  chosen_ = first_ = 0;
}

void Picker::find_again() {
  const std::string key = current() != nullptr ? current()->key : "";
  const std::size_t chosen = chosen_;
  find();
  chosen_ = entries_.empty() ? 0 : std::min(chosen, entries_.size() - 1);
  move_to(key);
}

void Picker::move_to(std::string_view key) {
  const auto found = std::ranges::find(entries_, key, &PickerEntry::key);
  if (found != entries_.end()) chosen_ = static_cast<std::size_t>(found - entries_.begin());
}

void Picker::move(int n) {
  const auto last = static_cast<std::ptrdiff_t>(entries_.size()) - 1;
  const auto target = static_cast<std::ptrdiff_t>(chosen_) + n;
  chosen_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(target, 0, std::max(last, {})));
}

void Picker::paste(std::string_view text) {
  if (auto* line = std::get_if<PromptLine>(&asking_); question_ && line != nullptr)
    return line->paste(text);
  if (question_) return;
  query_.paste(text);
  find();
}

Picker::Outcome Picker::feed(const Key& key) {
  if (question_) {
    feed_question(key);
    return Outcome::open;
  }
  if (feed_move(key) || act(key)) return Outcome::open;
  const bool chooses = key.code == Key::Code::enter || key.code == Key::Code::tab;
  if (chooses) return current() != nullptr ? Outcome::chosen : Outcome::open;
  const PromptLine::Outcome outcome = query_.feed(key);
  if (outcome == PromptLine::Outcome::cancelled) return Outcome::cancelled;
  if (outcome == PromptLine::Outcome::edited) find();
  return Outcome::open;
}

Picker::Outcome Picker::feed(const Click& click) {
  const int row = click.row - origin_.row.value, col = click.col - origin_.col.value;
  const auto entry = first_ + static_cast<std::size_t>(std::max(row, 0));
  const bool inside = row >= 0 && row < page_ && col >= 0 && col < width_.value;
  if (question_ || !inside || entry >= entries_.size()) return Outcome::open;
  chosen_ = entry;
  return Outcome::chosen;
}

bool Picker::act(const Key& key) {
  if (!source_.act || current() == nullptr) return false;
  std::optional<PickerAct> act = source_.act(key, *current());
  if (!act) return false;
  if (!act->title.empty()) query_.set_label(act->title + " ›");
  question_ = std::move(act->question);
  if (!question_)
    find_again();
  else if (question_->text)
    asking_ = PromptLine(question_->label, *question_->text);
  else
    asking_ = YesNo(question_->label);
  return true;
}

void Picker::feed_question(const Key& key) {
  bool done = false, left = false;
  std::string text;
  if (auto* line = std::get_if<PromptLine>(&asking_)) {
    const PromptLine::Outcome outcome = line->feed(key);
    done = outcome == PromptLine::Outcome::done;
    left = outcome == PromptLine::Outcome::cancelled;
    text = line->text();
  } else {
    const YesNo::Outcome outcome = std::get<YesNo>(asking_).feed(key);
    done = outcome == YesNo::Outcome::yes;
    left = outcome == YesNo::Outcome::no;
  }
  if (!done && !left) return;
  const auto question = std::exchange(question_, {});
  if (done) question->done(text);
  if (done) find_again();
}

bool Picker::feed_move(const Key& key) {
  const bool up = key.code == Key::Code::up || (key.ctrl && key.character == U'p');
  const bool down = key.code == Key::Code::down || (key.ctrl && key.character == U'n');
  if (up) move(-1);
  if (down) move(1);
  if (key.code == Key::Code::page_up) move(-page_);
  if (key.code == Key::Code::page_down) move(page_);
  return up || down || key.code == Key::Code::page_up || key.code == Key::Code::page_down;
}

// --- drawing

void Picker::draw(Frame& frame) {
  query_.draw(frame, Rows{0});
  const int n_rows = frame.rows().value;
  const int n_keys = n_rows >= 4 || question_ ? 1 : 0;
  if (const int height = n_rows - 1 - n_keys; height > 0) draw_list(frame, height);
  if (n_keys > 0) draw_last_row(frame, Rows{n_rows - 1});
}

void Picker::draw_list(Frame& frame, int height) {
  const bool previews = source_.preview && current() != nullptr;
  if (previews && frame.cols() >= kBesideWidth) {
    const Cols list{frame.cols().value / 2 - 2};
    draw_entries(frame, Rows{1}, Rows{height}, list);
    for (int row = 1; row <= height; ++row)
      frame.write({Rows{row}, Cols{list.value + 1}}, "│", {.role = Role::rule});
    draw_preview(frame, {Rows{1}, Cols{list.value + 3}}, Rows{height});
  } else if (previews && frame.rows() >= kBelowRows) {
    const int n_list = height / 2;
    draw_entries(frame, Rows{1}, Rows{n_list}, frame.cols());
    for (int col = 0; col < frame.cols().value; ++col)
      frame.write({Rows{n_list + 1}, Cols{col}}, "─", {.role = Role::rule});
    draw_preview(frame, {Rows{n_list + 2}, Cols{0}}, Rows{height - n_list - 1});
  } else {
    draw_entries(frame, Rows{1}, Rows{height}, frame.cols());
  }
}

// A question that needs several rows covers the end of the list.
void Picker::draw_last_row(Frame& frame, Rows row) const {
  if (question_) return std::visit([&](const auto& asked) { asked.draw(frame, row); }, asking_);
  frame.write({row, Cols{0}}, key_hints(source_.keys, frame.cols()), {.role = Role::dim});
}

void Picker::draw_entries(Frame& frame, Rows top, Rows height, Cols width) {
  page_ = std::max(height.value, 1);
  origin_ = {top, Cols{0}};
  width_ = width;
  const auto page = static_cast<std::size_t>(page_);
  if (chosen_ < first_) first_ = chosen_;
  if (chosen_ >= first_ + page) first_ = chosen_ + 1 - page;
  if (entries_.empty())
    frame.write({top, Cols{0}}, ellipsize(one_line(source_.empty), width), {.role = Role::dim});
  for (std::size_t i = first_; i < std::min(entries_.size(), first_ + page); ++i)
    draw_entry(frame, Rows{top.value + static_cast<int>(i - first_)}, width, entries_[i],
               i == chosen_);
}

void Picker::draw_entry(Frame& frame, Rows row, Cols width, const PickerEntry& entry,
                        bool chosen) const {
  const Style plain{.role = chosen ? Role::selection : Role::text};
  for (int col = 0; col < width.value; ++col) frame.write({row, Cols{col}}, " ", plain);
  Point at{row, Cols{0}};
  at.col.value += frame.write(at, clip(chosen ? "› " : "  ", width), plain).value;
  const Cols detail{std::min(ui::width(one_line(entry.detail)).value, width.value / 2)};
  const int n_detail = detail.value == 0 ? 0 : detail.value + 2;
  const int limit = std::max(width.value - n_detail, std::min(width.value, 10));
  at.col.value +=
      draw_marked(frame, at, Cols{limit - at.col.value}, entry.text, entry.marked, plain);
  if (n_detail == 0 || at.col.value + n_detail > width.value) return;
  draw_marked(frame, {row, Cols{width.value - detail.value}}, detail, entry.detail,
              entry.detail_marked, {.role = chosen ? Role::selection : Role::dim});
}

void Picker::draw_preview(Frame& frame, Point origin, Rows height) const {
  const Cols width{frame.cols().value - origin.col.value};
  if (width.value <= 0) return;
  const std::vector<Line> lines = source_.preview(*current(), width);
  const int n = std::min(height.value, static_cast<int>(lines.size()));
  for (int i = 0; i < n; ++i) {
    Point at{Rows{origin.row.value + i}, origin.col};
    for (const Span& span : lines[static_cast<std::size_t>(i)].spans)
      at.col.value += frame.write(at, span.text, span.style).value;
  }
}

}  // namespace confab::ui
