// SPDX-License-Identifier: MIT
// What a Markdown text is made of, for those who ask whether an answer has a form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

// A block that stands in the document itself, not in a list or a quote.
struct MarkdownBlock {
  enum class Kind : std::uint8_t { text, list, table, other };

  Kind kind = Kind::other;
  std::vector<std::string> lines = {};  // as they are written, without the space around them
  std::size_t n_items = 0;              // of a list, without those of the lists in it
  std::size_t n_empty_items = 0;        // of these
  // Of a table: the cells of its header and of each row, as many as are written.
  std::vector<std::vector<std::string>> rows = {};
};

// In their order. The text is untrusted, and made safe for copying.
std::vector<MarkdownBlock> markdown_blocks(std::string_view text);

}  // namespace confab::ui
