// SPDX-License-Identifier: MIT
// Any text at any width: lines that fit, and the same ones when it comes in pieces; and what it is
// made of.
//
// Input: a byte that is the width, one that says how long the pieces are, then the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ui/markdown/markdown.h"
#include "ui/markdown/markdown_blocks.h"
#include "ui/wrap.h"

namespace {

using namespace confab::ui;

void require(bool holds) {
  if (!holds) std::abort();
}

MarkdownLayout streamed(std::string_view text, Cols width, std::size_t piece) {
  MarkdownView view;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    view.append(text.substr(0, piece));
    require(view.settled() <= view.layout(width).lines.size());
  }
  view.finish();
  return view.layout(width);
}

void check_blocks(std::string_view text) {
  for (const MarkdownBlock& block : markdown_blocks(text)) {
    require(!block.lines.empty());
    require(block.n_empty_items <= block.n_items && block.n_items <= block.lines.size());
    require((block.kind == MarkdownBlock::Kind::list) == (block.n_items > 0));
    require((block.kind == MarkdownBlock::Kind::table) == !block.rows.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Cols width{std::max<int>(data[0], 1)};
  const MarkdownLayout whole = render_markdown(text, width);
  for (const Line& line : whole.lines) require(confab::ui::width(line) <= width);
  for (const MarkdownPart& part : whole.parts)
    require(part.n_lines > 0 && part.first_line + part.n_lines <= whole.lines.size());
  check_blocks(text);
  require(streamed(text, width, std::max<std::size_t>(data[1], 1)) == whole);
  return 0;
}
