// SPDX-License-Identifier: MIT
// Code as it looks on a screen, and the lines that fence it in Markdown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/code/highlight.h"
#include "ui/style.h"
#include "ui/text.h"

namespace confab::ui {

// The first word of a fence's info string.
std::string_view code_language(std::string_view info);
// The rules above and below a block. The upper one names the language. There is no frame at the
// sides, because it would be copied along with the code.
Line code_top(std::string_view info, Cols width);
Line code_bottom(Cols width);

// Appends the next line of a block, in colours and indented. A line wider than the screen continues
// below, marked with ↪ in the indent. It is cut at the column, and words are not kept whole.
void append_code_line(std::vector<Line>& lines, std::string_view code, Cols width,
                      Highlighter& highlighter);
// Appends the lines of a block. Each line of `code` must end in \n.
void append_code(std::vector<Line>& lines, std::string_view code, Cols width,
                 Highlighter highlighter);

// The line that opens a fenced code block (CommonMark 0.30, section 4.5).
struct Fence {
  char mark;  // ` or ~
  int length;
  int indent;  // columns to remove from each line of the block that has them
};
std::optional<Fence> parse_fence(std::string_view line);
bool closes(const Fence& fence, std::string_view line);

// Tracks the lines inside a fence, which must be passed in order. In a block of Markdown, for
// example a README that a model was asked for, a fence with a language opens an inner block. The
// end of the inner block does not end the outer one.
class FencedLines {
 public:
  FencedLines(const Fence& fence, std::string_view info);
  const Fence& fence() const noexcept { return fence_; }
  // Whether the next line ends the block.
  bool ends_at(std::string_view line);
  // Whether the last line that did not end the block ended an inner one.
  bool ended_inner() const noexcept { return ended_inner_; }

 private:
  Fence fence_;
  bool is_markdown_;
  std::optional<Fence> inner_;
  bool ended_inner_ = false;
};
// Returns the code on a line inside the fence.
std::string strip_indent(const Fence& fence, std::string_view line);

}  // namespace confab::ui
