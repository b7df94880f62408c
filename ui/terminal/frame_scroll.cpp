// SPDX-License-Identifier: MIT
#include "ui/terminal/frame_scroll.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace confab::ui {
namespace {

// What the sequences of one scroll take, in bytes about.
constexpr int kScrollCost = 24;
constexpr int kMinDifferentRows = 3;

struct RowSummary {
  std::uint64_t hash = 0;
  int weight = 0;  // bytes of its text, but for blanks: what it takes to write it
};

RowSummary summarize(const Frame& frame, int row) {
  RowSummary summary;
  const auto mix = [&summary](std::uint64_t value) {
    summary.hash = (summary.hash ^ value) * 0x9E3779B97F4A7C15u;
    summary.hash ^= summary.hash >> 29;
  };
  for (int col = 0; col < frame.cols().value; ++col) {
    const Cell& cell = frame.at({Rows{row}, Cols{col}});
    const Style& style = cell.style;
    mix(cell.text.size() == 1 ? static_cast<unsigned char>(cell.text[0])
                              : std::hash<std::string_view>{}(cell.text));
    mix(static_cast<std::uint64_t>(style.role) * 16 + style.bold * 8u + style.italic * 4u +
        style.underline * 2u + style.strike);
    if (!cell.link.empty()) mix(std::hash<std::string_view>{}(cell.link));
    if (cell.text != " ") summary.weight += static_cast<int>(cell.text.size());
  }
  return summary;
}

std::vector<RowSummary> summarize(const Frame& frame) {
  std::vector<RowSummary> rows;
  for (int row = 0; row < frame.rows().value; ++row) rows.push_back(summarize(frame, row));
  return rows;
}

struct Candidate {
  FrameScroll scroll;
  int saved = 0;
};

class ScrollSearch {
 public:
  ScrollSearch(const Frame& shown, const Frame& next)
      : shown_(summarize(shown)), next_(summarize(next)), n_(static_cast<int>(next_.size())) {}

  int n_different() const {
    int n = 0;
    for (int row = 0; row < n_; ++row) n += same_place(row) ? 0 : 1;
    return n;
  }

  // The best block of rows that all moved by `up`.
  void search(int up, Candidate& best) const {
    const int first = std::max(0, -up), end = std::min(n_, n_ - up);
    for (int row = first; row < end;) {
      if (hash(next_, row) != hash(shown_, row + up)) {
        ++row;
        continue;
      }
      const int begin = row;
      int saved = 0;
      for (; row < end && hash(next_, row) == hash(shown_, row + up); ++row)
        if (!same_place(row)) saved += weight(row);
      consider({std::min(begin, begin + up), std::max(row, row + up), up}, saved, best);
    }
  }

 private:
  static std::uint64_t hash(const std::vector<RowSummary>& rows, int row) {
    return rows[static_cast<std::size_t>(row)].hash;
  }
  int weight(int row) const { return next_[static_cast<std::size_t>(row)].weight; }
  bool same_place(int row) const { return hash(next_, row) == hash(shown_, row); }

  // The rows that the scroll leaves blank must be written again, also those that had not changed.
  void consider(const FrameScroll& scroll, int saved, Candidate& best) const {
    const int first_blank = scroll.up > 0 ? scroll.bottom - scroll.up : scroll.top;
    const int n_blank = std::abs(scroll.up);
    for (int row = first_blank; row < first_blank + n_blank; ++row)
      if (same_place(row)) saved -= weight(row);
    saved -= kScrollCost + n_blank;
    if (saved > best.saved) best = {scroll, saved};
  }

  std::vector<RowSummary> shown_;
  std::vector<RowSummary> next_;
  int n_;
};

}  // namespace

std::optional<FrameScroll> find_scroll(const Frame& shown, const Frame& next) {
  const ScrollSearch search(shown, next);
  if (search.n_different() < kMinDifferentRows) return std::nullopt;
  Candidate best;
  for (int by = 1; by < next.rows().value; ++by) {
    search.search(by, best);
    search.search(-by, best);
  }
  if (best.saved <= 0) return std::nullopt;
  return best.scroll;
}

}  // namespace confab::ui
