// SPDX-License-Identifier: MIT
#include "ui/markdown/table_layout.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr Style kRule{.role = Role::rule};
constexpr std::string_view kBar = " │ ";
constexpr int kBarWidth = 3;
// The minimum width of a column when words must be broken.
constexpr int kMinColumn = 5;
// Below this width the indent is left out.
constexpr int kMinIndentedWidth = 9;
// The maximum width of a header in front of a cell.
constexpr Cols kMaxLabel{24};

std::string spaces(int n) {
  return std::string(static_cast<std::size_t>(std::max(n, 0)), ' ');
}

std::string rule(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += "─";
  return out;
}

int sum(const std::vector<int>& values) {
  return std::accumulate(values.begin(), values.end(), 0);
}

// The widths that a cell requires: that of its longest line and that of its longest word.
struct CellWidth {
  int line = 0;
  int word = 0;
};

CellWidth measure(const InlineText& cell) {
  CellWidth most;
  int line = 0, word = 0;
  for (const Span& span : cell.spans) {
    for (std::string_view text = span.text; !text.empty();) {
      const Grapheme grapheme = next_grapheme(text);
      text.remove_prefix(grapheme.bytes.size());
      const int columns = grapheme.bytes == "\t" ? kTabStop.value : grapheme.width.value;
      const bool breaks = grapheme.bytes == " " || grapheme.bytes == "\n" || columns == 2;
      line = grapheme.bytes == "\n" ? 0 : line + columns;
      word = breaks ? 0 : word + columns;
      most.line = std::max(most.line, line);
      most.word = std::max({most.word, word, columns});
    }
  }
  return most;
}

// Fits columns of the `wanted` widths into `room` columns in total. The widest are cut to one
// common width, but none below its `least`. Returns nullopt if even those do not fit.
std::optional<std::vector<int>> shrink(const std::vector<int>& wanted,
                                       const std::vector<int>& least, int room) {
  if (sum(least) > room) return std::nullopt;
  const auto cut_to = [&](int cap) {
    std::vector<int> widths(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      widths[i] = std::max(least[i], std::min(wanted[i], cap));
    return widths;
  };
  int low = 0, high = room;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (sum(cut_to(middle)) <= room)
      low = middle;
    else
      high = middle - 1;
  }
  std::vector<int> widths = cut_to(low);
  int left = room - sum(widths);
  for (std::size_t i = 0; i < widths.size() && left > 0; ++i) {
    if (widths[i] != low || widths[i] == wanted[i]) continue;
    ++widths[i];
    --left;
  }
  return widths;
}

class TableWriter {
 public:
  TableWriter(const Table& table, Cols width) : table_(table), width_(width.value) {}

  MarkdownLayout run() {
    if (const std::optional<std::vector<int>> widths = fit())
      put_grid(*widths);
    else
      put_records();
    return std::move(out_);
  }

 private:
  std::optional<std::vector<int>> fit() const {
    const std::size_t n = table_.columns.size();
    if (n > static_cast<std::size_t>(width_)) return std::nullopt;
    const int room = width_ - kBarWidth * static_cast<int>(n - 1);
    std::vector<int> lines(n, 1), words(n, 1), least(n);
    for (const std::vector<InlineText>& row : table_.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const CellWidth cell = measure(row[i]);
        lines[i] = std::max(lines[i], cell.line);
        words[i] = std::max(words[i], cell.word);
      }
    }
    for (std::size_t i = 0; i < n; ++i) least[i] = std::min(lines[i], kMinColumn);
    if (sum(lines) <= room) return lines;
    if (auto widths = shrink(lines, words, room)) return widths;
    return shrink(lines, least, room);
  }

  // The cells of a row, wrapped.
  struct WrappedRow {
    std::vector<std::vector<Line>> cells;
    std::size_t height = 1;
  };

  static WrappedRow wrap_row(const std::vector<InlineText>& row, const std::vector<int>& widths) {
    WrappedRow wrapped;
    for (std::size_t i = 0; i < row.size(); ++i) {
      wrapped.cells.push_back(wrap_words(row[i].spans, Cols{widths[i]}));
      wrapped.height = std::max(wrapped.height, wrapped.cells.back().size());
    }
    return wrapped;
  }

  void put_grid(const std::vector<int>& widths) {
    std::vector<WrappedRow> rows;
    bool tall = false;
    for (const std::vector<InlineText>& row : table_.rows) {
      rows.push_back(wrap_row(row, widths));
      tall |= rows.size() > 1 && rows.back().height > 1;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // Rows of several lines would run together without rules between them.
      if (i == 1 || (i > 1 && tall)) put_rule(widths);
      put_row(rows[i], table_.rows[i], widths);
    }
    if (rows.size() == 1) put_rule(widths);
  }

  void put_rule(const std::vector<int>& widths) {
    std::string text;
    for (const int columns : widths) text += (text.empty() ? "" : "─┼─") + rule(columns);
    out_.lines.push_back({{{text, kRule}}});
  }

  void put_row(WrappedRow& row, const std::vector<InlineText>& cells,
               const std::vector<int>& widths) {
    for (std::size_t i = 0; i < cells.size(); ++i) add_links(cells[i], row.cells[i]);
    for (std::size_t y = 0; y < row.height; ++y) {
      Line line;
      for (std::size_t i = 0; i < widths.size(); ++i) {
        if (i > 0) line.spans.push_back({std::string(kBar), kRule});
        const bool there = i < row.cells.size() && y < row.cells[i].size();
        Line cell = there ? std::move(row.cells[i][y]) : Line{};
        put_cell(line, std::move(cell), widths[i], table_.columns[i]);
      }
      trim(line);
      out_.lines.push_back(std::move(line));
    }
  }

  static void put_cell(Line& line, Line cell, int columns, Align align) {
    const int free = columns - ui::width(cell).value;
    const int before = align == Align::right ? free : align == Align::center ? free / 2 : 0;
    if (before > 0) line.spans.push_back({spaces(before), {}});
    std::ranges::move(cell.spans, std::back_inserter(line.spans));
    if (free > before) line.spans.push_back({spaces(free - before), {}});
  }

  static void trim(Line& line) {
    while (!line.spans.empty()) {
      std::string& text = line.spans.back().text;
      text.erase(text.find_last_not_of(' ') + 1);
      if (!text.empty()) return;
      line.spans.pop_back();
    }
  }

  void add_links(const InlineText& text, std::vector<Line>& lines) {
    append_link_parts(out_.parts, text, lines, out_.lines.size());
  }

  void put_records() {
    const std::vector<std::string> labels = make_labels();
    if (table_.rows.size() == 1) {
      for (const InlineText& cell : table_.rows[0]) put_field({}, cell);
      return;
    }
    for (std::size_t i = 1; i < table_.rows.size(); ++i) {
      if (i > 1) out_.lines.push_back({{{rule(width_), kRule}}});
      const std::vector<InlineText>& row = table_.rows[i];
      for (std::size_t j = 0; j < row.size(); ++j) put_field(labels[j], row[j]);
    }
  }

  std::vector<std::string> make_labels() const {
    std::vector<std::string> labels(table_.columns.size());
    for (std::size_t i = 0; i < table_.rows[0].size(); ++i) {
      std::string text;
      for (const Span& span : table_.rows[0][i].spans) text += span.text;
      std::ranges::replace(text, '\n', ' ');
      labels[i] = ellipsize(text, kMaxLabel);
    }
    return labels;
  }

  // Adds "label: cell", with the lines after the first indented.
  void put_field(const std::string& label, InlineText cell) {
    constexpr Style kLabel{.role = Role::strong, .bold = true};
    if (!label.empty())
      cell.spans.insert(cell.spans.begin(),
                        {label + ':' + (cell.spans.empty() ? "" : " "), kLabel});
    std::vector<Line> lines = wrap_words(cell.spans, Cols{width_});
    const int indent = lines.size() > 1 && width_ >= kMinIndentedWidth ? 2 : 0;
    if (indent > 0) lines = wrap_words(cell.spans, Cols{width_ - indent});
    add_links(cell, lines);
    for (std::size_t y = 0; y < lines.size(); ++y) {
      Line& line = lines[y];
      if (y > 0 && indent > 0) line.spans.insert(line.spans.begin(), {spaces(indent), {}});
      out_.lines.push_back(std::move(line));
    }
  }

  const Table& table_;
  int width_;
  MarkdownLayout out_;
};

}  // namespace

MarkdownLayout lay_out_table(const Table& table, Cols width) {
  return TableWriter(table, width).run();
}

}  // namespace confab::ui
