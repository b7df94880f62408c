// SPDX-License-Identifier: MIT
#include "ui/wrap.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace confab::ui {
namespace {

// Characters that may not begin a line, although lines may otherwise break after a wide character.
constexpr std::string_view kClinging = ".,;:!?)]}%'\"、。，．：；！？）］｝」』】》〉”’…ー々";

void append_tab(std::string& out, int& column) {
  const int n = kTabStop.value - column % kTabStop.value;
  out.append(static_cast<std::size_t>(n), ' ');
  column += n;
}

// The spans joined to one text, so that a line is a range of it. Tabs are expanded to spaces, and a
// character that no line can hold is replaced by an ellipsis.
class FlatText {
 public:
  FlatText(std::span<const Span> spans, Cols width) : spans_(spans) {
    const bool as_it_is = width >= Cols{2} && std::ranges::none_of(spans, [](const Span& span) {
                            return span.text.find('\t') != std::string::npos;
                          });
    for (const Span& span : spans) {
      if (as_it_is)
        text_ += span.text;
      else
        append(span.text, width);
      ends_.push_back(text_.size());
    }
  }

  const std::string& text() const { return text_; }

  // Ranges must be requested from left to right.
  Line line(std::size_t begin, std::size_t end) {
    Line line;
    while (begin < end) {
      while (ends_[current_] <= begin) ++current_;
      const std::size_t stop = std::min(end, ends_[current_]);
      const Span& span = spans_[current_];
      line.spans.push_back({text_.substr(begin, stop - begin), span.style, span.link, span.part});
      begin = stop;
    }
    return line;
  }

 private:
  void append(std::string_view text, Cols width) {
    while (!text.empty()) {
      const Grapheme grapheme = next_grapheme(text);
      text.remove_prefix(grapheme.bytes.size());
      if (grapheme.bytes == "\t") {
        append_tab(text_, column_);
        continue;
      }
      text_ += grapheme.width > width ? std::string_view("…") : grapheme.bytes;
      column_ = grapheme.bytes == "\n" ? 0 : column_ + grapheme.width.value;
    }
  }

  std::span<const Span> spans_;
  std::string text_;
  std::vector<std::size_t> ends_;  // the end of each span in text_
  std::size_t current_ = 0;
  int column_ = 0;  // since the last \n
};

// Breaks at spaces. The line is [line_begin_, line_end_) of the text. The word being read begins at
// word_begin_, with only spaces between the two.
class WordWrapper {
 public:
  WordWrapper(std::span<const Span> spans, Cols width) : flat_(spans, width), width_(width) {}

  std::vector<Line> run() {
    const std::string_view text = flat_.text();
    bool after_wide = false;
    for (std::size_t at = 0; at < text.size();) {
      const Grapheme grapheme = next_grapheme(text.substr(at));
      if (grapheme.bytes == "\n") {
        end_line(at);
      } else if (grapheme.bytes == " ") {
        add_space(at);
      } else {
        const bool wide = grapheme.width == Cols{2};
        if ((wide || after_wide) && kClinging.find(grapheme.bytes) == std::string_view::npos)
          place_word(at);
        after_wide = wide;
        extend_word(at, grapheme.width);
      }
      at += grapheme.bytes.size();
    }
    end_line(text.size());
    return std::move(lines_);
  }

 private:
  void extend_word(std::size_t at, Cols columns) {
    if (word_cols_ + columns.value > width_.value) place_word(at);
    word_cols_ += columns.value;
  }

  void add_space(std::size_t at) {
    place_word(at);
    ++space_cols_;
    word_begin_ = at + 1;
  }

  // Puts the word on the line, or on the next one if the line is full.
  void place_word(std::size_t end) {
    if (word_begin_ == end) return;
    if (line_cols_ + space_cols_ + word_cols_ > width_.value) {
      if (line_end_ > line_begin_) lines_.push_back(flat_.line(line_begin_, line_end_));
      line_begin_ = word_begin_;
      line_cols_ = word_cols_;
    } else {
      line_cols_ += space_cols_ + word_cols_;
    }
    line_end_ = word_begin_ = end;
    space_cols_ = word_cols_ = 0;
  }

  void end_line(std::size_t at) {
    place_word(at);
    lines_.push_back(flat_.line(line_begin_, line_end_));
    line_begin_ = line_end_ = word_begin_ = at + 1;
    line_cols_ = space_cols_ = 0;
  }

  FlatText flat_;
  Cols width_;
  std::vector<Line> lines_;
  std::size_t line_begin_ = 0, line_end_ = 0, word_begin_ = 0;
  int line_cols_ = 0, space_cols_ = 0, word_cols_ = 0;
};

void wrap_hard_line(FlatText& flat, std::size_t begin, std::size_t end, Cols width,
                    std::vector<Line>& lines) {
  const std::string_view text = flat.text();
  while (end > begin && text[end - 1] == ' ') --end;
  int columns = 0;
  std::size_t at = begin;
  while (at < end) {
    const Grapheme grapheme = next_grapheme(text.substr(at));
    if (columns + grapheme.width.value > width.value) {
      lines.push_back(flat.line(begin, at));
      begin = at;
      columns = 0;
    }
    columns += grapheme.width.value;
    at += grapheme.bytes.size();
  }
  lines.push_back(flat.line(begin, end));
}

Cols at_least_one(Cols width) {
  return std::max(width, Cols{1});
}

void append_hanging(std::vector<Line>& lines, std::string_view text, const Style& style,
                    Cols limit) {
  const std::size_t gap = text.rfind("  ");
  std::size_t begin = gap == text.npos ? 0 : gap + 2;
  if (begin == text.size() || 2 * width(text.substr(0, begin)).value > limit.value) begin = 0;
  const int indent = width(text.substr(0, begin)).value;
  const std::array rest = {Span{std::string(text.substr(begin)), style}};
  std::string margin(text.substr(0, begin));
  for (Line& line : wrap_words(rest, Cols{limit.value - indent})) {
    if (indent > 0) line.spans.insert(line.spans.begin(), {margin, style});
    lines.push_back(std::move(line));
    margin.assign(static_cast<std::size_t>(indent), ' ');
  }
}

}  // namespace

std::vector<Line> wrap_words(std::span<const Span> spans, Cols width) {
  return WordWrapper(spans, at_least_one(width)).run();
}

std::vector<Line> wrap_text(std::string_view text, const Style& style, Cols width) {
  const std::array spans = {Span{sanitize(text), style}};
  return wrap_words(spans, width);
}

std::vector<Line> wrap_columns(std::span<const Span> spans, Cols width) {
  width = at_least_one(width);
  FlatText flat(spans, width);
  std::vector<Line> lines;
  const std::string& text = flat.text();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    wrap_hard_line(flat, begin, end, width, lines);
    begin = end + 1;
  }
  return lines;
}

std::vector<Line> wrap_hanging(std::string_view text, const Style& style, Cols width) {
  std::vector<Line> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    append_hanging(lines, text.substr(0, end), style, width);
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

Cols width(const Line& line) {
  int columns = 0;
  for (const Span& span : line.spans) columns += width(span.text).value;
  return Cols{columns};
}

std::string to_text(const Line& line) {
  std::string out;
  for (const Span& span : line.spans) out += span.text;
  return out;
}

std::string to_text(std::span<const Line> lines) {
  std::string out;
  for (const Line& line : lines) out += to_text(line) + '\n';
  return out;
}

}  // namespace confab::ui
