// SPDX-License-Identifier: MIT
#include "ui/math/math_box.h"

#include <algorithm>
#include <array>

#include "ui/text.h"

namespace confab::ui {
namespace {

// The pieces of a delimiter that is several rows high (Unicode, Miscellaneous Technical).
struct Tall {
  std::string_view delimiter, top, middle, bottom, centre;
};
constexpr std::array<Tall, 9> kTall = {{
    {"(", "⎛", "⎜", "⎝", "⎜"},
    {")", "⎞", "⎟", "⎠", "⎟"},
    {"[", "⎡", "⎢", "⎣", "⎢"},
    {"]", "⎤", "⎥", "⎦", "⎥"},
    {"{", "⎧", "⎪", "⎩", "⎨"},
    {"}", "⎫", "⎪", "⎭", "⎬"},
    {"|", "│", "│", "│", "│"},
    {"‖", "║", "║", "║", "║"},
    {"⌊", "⎢", "⎢", "⎣", "⎢"},
}};

std::string_view piece(const Tall& tall, std::size_t row, std::size_t height) {
  if (row == 0) return tall.top;
  if (row + 1 == height) return tall.bottom;
  return row == height / 2 ? tall.centre : tall.middle;
}

}  // namespace

MathBox::MathBox(std::string_view row) {
  if (row.empty()) return;
  rows_.emplace_back(row);
  width_ = ui::width(row).value;
  widths_.push_back(width_);
}

std::vector<std::string> MathBox::rows() const {
  std::vector<std::string> rows = rows_;
  for (std::string& row : rows) row.erase(row.find_last_not_of(' ') + 1);
  return rows;
}

std::string_view MathBox::line() const noexcept {
  return empty() ? std::string_view() : rows_[baseline_];
}

void MathBox::put_row(std::size_t row, int column, const std::string& text, int width) {
  rows_[row].append(static_cast<std::size_t>(column - widths_[row]), ' ');
  rows_[row] += text;
  widths_[row] = column + width;
  width_ = std::max(width_, widths_[row]);
}

void MathBox::append(const MathBox& box) {
  if (box.empty()) return;
  if (empty()) {
    *this = box;
    return;
  }
  if (box.baseline_ > baseline_) {
    const std::size_t above = box.baseline_ - baseline_;
    rows_.insert(rows_.begin(), above, {});
    widths_.insert(widths_.begin(), above, 0);
    baseline_ = box.baseline_;
  }
  const std::size_t first = baseline_ - box.baseline_;
  if (first + box.height() > height()) {
    rows_.resize(first + box.height());
    widths_.resize(first + box.height());
  }
  const int column = width_;
  for (std::size_t i = 0; i < box.height(); ++i)
    put_row(first + i, column, box.rows_[i], box.widths_[i]);
  width_ = column + box.width_;
}

void MathBox::add_below(const MathBox& box, int column) {
  for (std::size_t i = 0; i < box.height(); ++i) {
    rows_.emplace_back();
    widths_.push_back(0);
    put_row(height() - 1, column, box.rows_[i], box.widths_[i]);
  }
  width_ = std::max(width_, column + box.width_);
}

MathBox MathBox::stack(const MathBox& top, const MathBox& middle, const MathBox& bottom) {
  const int width = std::max({top.width_, middle.width_, bottom.width_});
  MathBox out;
  out.add_below(top, (width - top.width_) / 2);
  out.baseline_ = top.height() + middle.baseline_;
  out.add_below(middle, (width - middle.width_) / 2);
  out.add_below(bottom, (width - bottom.width_) / 2);
  // Without a middle, the last row above it.
  if (out.baseline_ > 0) out.baseline_ = std::min(out.baseline_, out.height() - 1);
  return out;
}

MathBox MathBox::grid(const std::vector<std::vector<MathBox>>& rows, std::string_view align,
                      int gap) {
  std::vector<int> widths;
  for (const std::vector<MathBox>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].width_);
  }
  MathBox out;
  for (const std::vector<MathBox>& row : rows) {
    MathBox line;
    int column = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int free = widths[i] - row[i].width_;
      const char side = align[i % align.size()];
      const int begin = column + (side == 'r' ? free : side == 'c' ? free / 2 : 0);
      line.append(std::string(static_cast<std::size_t>(begin - line.width_), ' '));
      line.append(row[i]);
      column += widths[i] + gap;
    }
    out.add_below(line.empty() ? MathBox(" ") : line, 0);
  }
  out.baseline_ = out.empty() ? 0 : (out.height() - 1) / 2;
  return out;
}

MathBox MathBox::enclosed(std::string_view left, const MathBox& box, std::string_view right) {
  const auto side = [&box](std::string_view delimiter) {
    const auto* const tall = std::ranges::find(kTall, delimiter, &Tall::delimiter);
    if (box.height() <= 1 || tall == kTall.end()) return MathBox(delimiter);
    MathBox out;
    for (std::size_t i = 0; i < box.height(); ++i)
      out.add_below(MathBox(piece(*tall, i, box.height())), 0);
    out.baseline_ = box.baseline_;
    return out;
  };
  MathBox out = side(left);
  out.append(box);
  out.append(side(right));
  return out;
}

}  // namespace confab::ui
