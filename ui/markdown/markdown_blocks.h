// SPDX-License-Identifier: MIT
// Lists the blocks of a Markdown text, for checking whether an answer has a required form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

// A block at the top level of the document, not inside a list or a quote.
struct MarkdownBlock {
  enum class Kind : std::uint8_t { text, list, table, other };

  Kind kind = Kind::other;
  std::vector<std::string> lines = {};  // as written, without the space around them
  std::size_t n_items = 0;              // of a list; items of nested lists do not count
  std::size_t n_empty_items = 0;        // how many of these are empty
  // For a table: the cells of its header and of each row, as many as are written.
  std::vector<std::vector<std::string>> rows = {};
};

// Returns the blocks in order. The text is untrusted; the result is safe for copying.
std::vector<MarkdownBlock> markdown_blocks(std::string_view text);

}  // namespace confab::ui
