// SPDX-License-Identifier: MIT
// Lays tables out for a screen.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/markdown/markdown.h"
#include "ui/markdown/markdown_inline.h"
#include "ui/text.h"

namespace confab::ui {

enum class Align : std::uint8_t { left, center, right };

struct Table {
  std::vector<Align> columns;                 // at least one
  std::vector<std::vector<InlineText>> rows;  // the header first; any row may be short
};

// Returns the lines of a table, at most `width` columns wide (at least one), and its links as
// parts.
//
// A column is as wide as its cells require. If the table would be too wide, the widest columns
// shrink and their cells wrap, between words first and then inside them. If that leaves a column
// too narrow to read, each row becomes several lines, one "header: cell" per cell.
MarkdownLayout lay_out_table(const Table& table, Cols width);

}  // namespace confab::ui
