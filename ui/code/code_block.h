// SPDX-License-Identifier: MIT
// Code as it shows on a screen, and the lines that fence it in Markdown.
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
// The lines above and below a block: rules, the upper one with the name of its language. Nothing
// stands beside the code, where it would be copied along with it.
Line code_top(std::string_view info, Cols width);
Line code_bottom(Cols width);

// The next line of a block, in colours and indented; where it is wider than the screen it goes on
// below, marked with ↪ in the indent, its columns cut and never moved to keep words whole.
void append_code_line(std::vector<Line>& lines, std::string_view code, Cols width,
                      Highlighter& highlighter);
// A block's lines, each ended by \n.
void append_code(std::vector<Line>& lines, std::string_view code, Cols width,
                 Highlighter highlighter);

// A line that opens a fenced code block (CommonMark 0.30, section 4.5).
struct Fence {
  char mark;  // ` or ~
  int length;
  int indent;  // columns that are taken off each line of the block, where it has them
};
std::optional<Fence> parse_fence(std::string_view line);
bool closes(const Fence& fence, std::string_view line);

// The lines inside a fence, in their order. In a block of Markdown, as models write it when they
// are asked for a README, a fence with a language opens a block of its own, whose end does not end
// the one around it.
class FencedLines {
 public:
  FencedLines(const Fence& fence, std::string_view info);
  const Fence& fence() const noexcept { return fence_; }
  // Whether the next line ends the block.
  bool ends_at(std::string_view line);
  // Whether the last line that did not end it ended a block in it.
  bool ended_inner() const noexcept { return ended_inner_; }

 private:
  Fence fence_;
  bool is_markdown_;
  std::optional<Fence> inner_;
  bool ended_inner_ = false;
};
// The code on a line inside the fence.
std::string strip_indent(const Fence& fence, std::string_view line);

}  // namespace confab::ui
