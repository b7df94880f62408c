// SPDX-License-Identifier: MIT
// Tables as they show on a screen.
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
  std::vector<std::vector<InlineText>> rows;  // the first is the header; any may be short
};

// The lines of a table, at most `width` columns (at least one), and its links as parts.
//
// Columns are as wide as their cells ask for; where the table would be too wide, the widest give
// way and their cells wrap, first between words, then inside them. Where even that leaves a column
// too little to be read, each row becomes lines of their own, one "header: cell" for each cell.
MarkdownLayout lay_out_table(const Table& table, Cols width);

}  // namespace confab::ui
