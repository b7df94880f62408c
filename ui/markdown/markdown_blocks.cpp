// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_blocks.h"

#include <cmark.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "ui/markdown/markdown_table.h"
#include "ui/markdown/markdown_tree.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::ui {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

MarkdownBlock list_block(cmark_node* list) {
  MarkdownBlock block{.kind = MarkdownBlock::Kind::list};
  for (cmark_node* item = cmark_node_first_child(list); item != nullptr;
       item = cmark_node_next(item)) {
    ++block.n_items;
    if (cmark_node_first_child(item) == nullptr) ++block.n_empty_items;
  }
  return block;
}

// The second line of a table's source is the delimiter row.
MarkdownBlock table_block(cmark_node* table) {
  MarkdownBlock block{.kind = MarkdownBlock::Kind::table};
  const std::string source = table_source(table);
  for (const std::string_view line : lines_of(source)) {
    if (block.lines.size() != 1) block.rows.push_back(split_row(line));
    block.lines.emplace_back(line);
  }
  return block;
}

// Returns the text of a paragraph, and the table at its end if it has one.
std::vector<MarkdownBlock> blocks_of_paragraph(std::span<const std::string_view> lines,
                                               cmark_node* table) {
  std::vector<MarkdownBlock> blocks;
  if (table != nullptr) {
    blocks.push_back(table_block(table));
    lines = lines.first(lines.size() - std::min(lines.size(), blocks.back().lines.size()));
  }
  if (!lines.empty())
    blocks.insert(blocks.begin(),
                  {.kind = MarkdownBlock::Kind::text, .lines = {lines.begin(), lines.end()}});
  return blocks;
}

}  // namespace

std::vector<MarkdownBlock> markdown_blocks(std::string_view text) {
  const std::string safe = sanitize(text, SafeFor::copying);
  const std::vector<std::string_view> all = lines_of(safe);
  const MarkdownTree tree = parse_markdown(safe);
  std::vector<MarkdownBlock> blocks;
  for (cmark_node* node = cmark_node_first_child(tree.get()); node != nullptr;
       node = cmark_node_next(node)) {
    if (is_rest_of_footnote(node)) continue;  // it has no line number
    const std::size_t begin = first_line(node), end = std::min(last_line(node) + 1, all.size());
    const auto lines = std::span(all).subspan(begin, end - std::min(begin, end));
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_PARAGRAPH) {
      std::ranges::move(blocks_of_paragraph(lines, table_of(node)), std::back_inserter(blocks));
      continue;
    }
    blocks.push_back(type == CMARK_NODE_LIST ? list_block(node)
                                             : MarkdownBlock{.kind = MarkdownBlock::Kind::other});
    blocks.back().lines.assign(lines.begin(), lines.end());
  }
  return blocks;
}

}  // namespace confab::ui
