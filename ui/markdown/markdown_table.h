// SPDX-License-Identifier: MIT
// Tables (GitHub Flavored Markdown 0.29, section 4.10) in cmark's tree, which takes them for the
// text of a paragraph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ui/markdown/markdown.h"
#include "ui/markdown/table_layout.h"
#include "ui/style.h"

struct cmark_node;

namespace confab::ui {

// Gives each paragraph of the document that holds a table a last child that stands for it, and
// leaves the paragraph only the text before the table. Cells are parsed as inlines, in one go for
// all tables. Unlike GitHub's, a delimiter row needs a pipe.
void graft_tables(cmark_node* document, std::string_view shielded);

// The child that stands for a table, or null.
cmark_node* table_of(cmark_node* paragraph);

// The rows as written, each ended by \n, without the marks of the containers around them.
std::string table_source(cmark_node* table);

// The cells of a row as it is written, however many, with \| as a pipe. GitHub ends a cell also at
// a pipe in code.
enum class Pipes : std::uint8_t { all, not_in_code };
std::vector<std::string> split_row(std::string_view line, Pipes pipes = Pipes::all);

Table read_table(cmark_node* table, const Style& base, MarkdownOptions options);

}  // namespace confab::ui
