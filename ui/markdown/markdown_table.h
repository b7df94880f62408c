// SPDX-License-Identifier: MIT
// Tables (GitHub Flavored Markdown 0.29, section 4.10) in cmark's tree. cmark reads a table as the
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

// Adds a node for the table as the last child of each paragraph that contains one, and leaves only
// the text before the table in the paragraph. The cells of all tables are parsed as inlines in one
// go. Unlike on GitHub, a delimiter row needs a pipe.
void graft_tables(cmark_node* document, std::string_view shielded);

// Returns the child that represents a table, or null.
cmark_node* table_of(cmark_node* paragraph);

// Returns the rows as written, without the marks of the containers around them. Each ends with \n.
std::string table_source(cmark_node* table);

// Returns the cells of a row as written, however many there are. \| is a pipe within a cell. By
// GitHub's rules (Pipes::all) a pipe in code ends a cell too.
enum class Pipes : std::uint8_t { all, not_in_code };
std::vector<std::string> split_row(std::string_view line, Pipes pipes = Pipes::all);

Table read_table(cmark_node* table, const Style& base, MarkdownOptions options);

}  // namespace confab::ui
