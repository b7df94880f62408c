// SPDX-License-Identifier: MIT
#include "ui/transcript_view.h"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

enum class Kind : std::uint8_t { user, reasoning, answer, notice, error };

// In front of the first line of an item, and as many spaces in front of its others.
std::string_view marker(Kind kind) {
  switch (kind) {
    case Kind::user:
      return "› ";
    case Kind::reasoning:
      return "» ";
    case Kind::error:
      return "! ";
    default:
      return "";
  }
}

Role role(Kind kind) {
  switch (kind) {
    case Kind::user:
      return Role::user;
    case Kind::reasoning:
      return Role::dim;
    case Kind::notice:
      return Role::notice;
    case Kind::error:
      return Role::error;
    default:
      return Role::text;
  }
}

struct Item {
  Kind kind;
  std::string text;                      // sanitised; not of answers
  std::optional<MarkdownView> markdown;  // of answers
  std::vector<Line> lines = {};          // as laid out; not of answers that have text
  int width = 0;                         // of `lines`; 0: none

  Item(Kind item_kind, std::string_view item_text) : kind(item_kind), text(sanitize(item_text)) {}
  explicit Item(MarkdownOptions options) : kind(Kind::answer), markdown(options) {}
};

std::vector<Line> lay_out_plain(const Item& item, int width) {
  const std::string_view mark = marker(item.kind);
  const int n_mark = ui::width(mark).value;
  const bool marked = n_mark > 0 && width > 2 * n_mark;
  const std::array spans = {Span{item.text, {.role = role(item.kind)}}};
  std::vector<Line> lines = wrap_words(spans, Cols{marked ? width - n_mark : width});
  if (!marked) return lines;
  const std::string indent(static_cast<std::size_t>(n_mark), ' ');
  const Role mark_role = item.kind == Kind::user ? Role::prompt : role(item.kind);
  for (std::size_t i = 0; i < lines.size(); ++i)
    lines[i].spans.insert(lines[i].spans.begin(),
                          Span{i == 0 ? std::string(mark) : indent, {.role = mark_role}});
  return lines;
}

// Lines of an item, for a while: until anything of it changes.
const std::vector<Line>& lay_out(Item& item, int width) {
  const bool waiting = item.markdown && item.markdown->source().empty();
  const std::vector<Line>* lines = &item.lines;
  if (waiting) {
    item.lines.clear();
    if (!item.markdown->finished()) item.lines.push_back({{{"…", {.role = Role::dim}}}});
  } else if (item.markdown) {
    lines = &item.markdown->lines(Cols{width});
  } else if (item.width != width) {
    item.lines = lay_out_plain(item, width);
  }
  item.width = width;
  return *lines;
}

// A line of the transcript. Line 0 of every item but the first is the empty one before it.
struct Place {
  std::size_t item = 0;
  int line = 0;
  auto operator<=>(const Place&) const = default;
};

int gap(std::size_t item) {
  return item > 0 ? 1 : 0;
}

}  // namespace

class TranscriptView::Impl {
 public:
  explicit Impl(MarkdownOptions options) : options_(options) {}

  void add(Kind kind, std::string_view text) { items_.emplace_back(kind, text); }

  void add_answer(std::string_view markdown) {
    items_.emplace_back(options_);
    items_.back().markdown->append(markdown);
    items_.back().markdown->finish();
  }

  void begin_answer() {
    answering_ = items_.size();
    items_.emplace_back(options_);
    reasoning_.reset();
  }
  void append_reasoning(std::string_view text) {
    if (!answering_) return;
    if (!reasoning_) insert_reasoning();
    Item& item = items_[*reasoning_];
    item.text += sanitize(text);
    item.width = 0;
  }
  void append_answer(std::string_view text) {
    if (answering_) items_[*answering_].markdown->append(text);
  }
  void end_answer() {
    if (answering_) items_[*answering_].markdown->finish();
    answering_.reset();
    reasoning_.reset();
  }
  bool answering() const noexcept { return answering_.has_value(); }

  void clear() {
    items_.clear();
    answering_.reset();
    reasoning_.reset();
    to_bottom();
  }

  std::size_t n_items() const noexcept { return items_.size(); }

  std::string_view last_answer() const noexcept {
    for (auto item = items_.rbegin(); item != items_.rend(); ++item)
      if (item->markdown) return item->markdown->source();
    return {};
  }

  void scroll(int n_lines) {
    if (items_.empty()) return;
    view_from(move(top_ ? *top_ : bottom_top(), n_lines));
  }
  void scroll_pages(int n_pages) { scroll(n_pages * std::max(height_ - 1, 1)); }
  void to_top() {
    if (!items_.empty()) view_from({});
  }
  void to_bottom() {
    top_.reset();
    n_new_lines_ = 0;
  }
  bool at_bottom() const noexcept { return !top_; }
  int n_new_lines() const noexcept { return n_new_lines_; }

  void draw(Frame& frame, Rows top, Rows height) {
    height_ = height.value;
    set_width(std::max(frame.cols().value, 1));
    if (top_ && *top_ >= bottom_top()) to_bottom();
    if (top_) count_new_lines();
    Place place = top_ ? *top_ : bottom_top();
    for (int row = top.value; row < top.value + height.value && place.item < items_.size();
         ++place.item, place.line = 0) {
      const std::vector<Line>& lines = lay_out(items_[place.item], width_);
      int line = place.line;
      if (line < gap(place.item)) ++row, ++line;
      for (line -= gap(place.item);
           line < static_cast<int>(lines.size()) && row < top.value + height.value; ++line, ++row)
        frame.write(Rows{row}, lines[static_cast<std::size_t>(line)]);
    }
  }

 private:
  // Places at the answer and below it move down by one item.
  void insert_reasoning() {
    reasoning_ = (*answering_)++;
    items_.emplace(items_.begin() + static_cast<std::ptrdiff_t>(*reasoning_), Kind::reasoning, "");
    if (top_ && top_->item >= *reasoning_) ++top_->item;
    if (seen_.item >= *reasoning_) ++seen_.item;
  }

  void view_from(Place place) {
    if (place >= bottom_top()) return to_bottom();
    if (!top_) seen_ = {items_.size() - 1, height(items_.size() - 1)};
    top_ = place;
  }

  int height(std::size_t item) {
    return gap(item) + static_cast<int>(lay_out(items_[item], width_).size());
  }

  // Where the view begins when it ends with the last line.
  Place bottom_top() {
    int left = std::max(height_, 1);
    for (std::size_t item = items_.size(); item-- > 0;) {
      const int n = height(item);
      if (n >= left) return {item, n - left};
      left -= n;
    }
    return {};
  }

  Place move(Place place, int n_lines) {
    while (n_lines < 0) {
      const int step = std::min(place.line, -n_lines);
      place.line -= step;
      n_lines += step;
      if (n_lines == 0 || place.item == 0) return place;
      --place.item;
      place.line = height(place.item);
    }
    while (n_lines > 0) {
      const int left = height(place.item) - place.line;
      if (n_lines < left) return {place.item, place.line + n_lines};
      if (place.item + 1 == items_.size()) return {place.item, place.line + left};
      n_lines -= left;
      place = {place.item + 1, 0};
    }
    return place;
  }

  // The same share of the item stays above a place when lines break elsewhere.
  void set_width(int width) {
    if (width == width_) return;
    if (!top_) {
      width_ = width;
      return;
    }
    const int top_before = height(top_->item);
    const int seen_before = height(seen_.item);
    width_ = width;
    top_->line = rescaled(top_->line, top_before, height(top_->item));
    seen_.line = rescaled(seen_.line, seen_before, height(seen_.item));
  }

  static int rescaled(int line, int before, int now) {
    return before > 0 ? static_cast<int>(std::int64_t{line} * now / before) : 0;
  }

  void count_new_lines() {
    n_new_lines_ = -seen_.line;
    for (std::size_t item = seen_.item; item < items_.size(); ++item) n_new_lines_ += height(item);
    n_new_lines_ = std::max(n_new_lines_, 0);
  }

  MarkdownOptions options_;
  std::vector<Item> items_;
  std::optional<std::size_t> answering_;
  std::optional<std::size_t> reasoning_;  // of the answer that grows
  int width_ = 80;                        // of the last draw, as the height
  int height_ = 24;
  std::optional<Place> top_;  // nullopt: whatever shows the end
  Place seen_;                // the last item, and its height, when the view left the end
  int n_new_lines_ = 0;
};

TranscriptView::TranscriptView(MarkdownOptions options) : impl_(std::make_unique<Impl>(options)) {}
TranscriptView::~TranscriptView() = default;

void TranscriptView::add_user(std::string_view text) {
  impl_->add(Kind::user, text);
  impl_->to_bottom();
}
void TranscriptView::add_answer(std::string_view markdown) {
  impl_->add_answer(markdown);
}
void TranscriptView::add_reasoning(std::string_view text) {
  impl_->add(Kind::reasoning, text);
}
void TranscriptView::add_notice(std::string_view text) {
  impl_->add(Kind::notice, text);
}
void TranscriptView::add_error(std::string_view text) {
  impl_->add(Kind::error, text);
}
void TranscriptView::begin_answer() {
  impl_->begin_answer();
}
void TranscriptView::append_reasoning(std::string_view text) {
  impl_->append_reasoning(text);
}
void TranscriptView::append_answer(std::string_view text) {
  impl_->append_answer(text);
}
void TranscriptView::end_answer() {
  impl_->end_answer();
}
bool TranscriptView::answering() const noexcept {
  return impl_->answering();
}
void TranscriptView::clear() {
  impl_->clear();
}
std::size_t TranscriptView::n_items() const noexcept {
  return impl_->n_items();
}
std::string_view TranscriptView::last_answer() const noexcept {
  return impl_->last_answer();
}
void TranscriptView::scroll(int n_lines) {
  impl_->scroll(n_lines);
}
void TranscriptView::scroll_pages(int n_pages) {
  impl_->scroll_pages(n_pages);
}
void TranscriptView::to_top() {
  impl_->to_top();
}
void TranscriptView::to_bottom() {
  impl_->to_bottom();
}
bool TranscriptView::at_bottom() const noexcept {
  return impl_->at_bottom();
}
int TranscriptView::n_new_lines() const noexcept {
  return impl_->n_new_lines();
}
void TranscriptView::draw(Frame& frame, Rows top, Rows height) {
  impl_->draw(frame, top, height);
}

}  // namespace confab::ui
