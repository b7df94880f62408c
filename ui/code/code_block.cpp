// SPDX-License-Identifier: MIT
#include "ui/code/code_block.h"

#include <algorithm>

#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr std::string_view kIndent = "  ";
constexpr std::string_view kContinued = "↪ ";
constexpr std::string_view kTop = "╭", kBottom = "╰";
constexpr Cols kIndentWidth{2};
// Below this width the indent is left out.
constexpr Cols kMinIndentedWidth{6};

// A rule with a corner at its beginning, unlike a rule between paragraphs.
Span rule(std::string_view begin, int n_cols) {
  Span span{std::string(begin), {.role = Role::rule}};
  for (int i = 1; i < n_cols; ++i) span.text += "─";
  return span;
}

Cols indent_width(Cols width) {
  return width < kMinIndentedWidth ? Cols{0} : kIndentWidth;
}

struct MarkRun {
  std::size_t indent;
  std::size_t length;
  std::string_view rest;
};

// The run of one mark at the beginning of a line, after at most three spaces.
std::optional<MarkRun> leading_marks(std::string_view line, char mark) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > 3) return std::nullopt;
  line.remove_prefix(indent);
  const std::size_t length = std::min(line.find_first_not_of(mark), line.size());
  return MarkRun{indent, length, line.substr(length)};
}

}  // namespace

std::string_view code_language(std::string_view info) {
  constexpr std::string_view kSpaces = " \t\n";
  info.remove_prefix(std::min(info.find_first_not_of(kSpaces), info.size()));
  return info.substr(0, info.find_first_of(kSpaces));
}

Line code_top(std::string_view info, Cols width) {
  constexpr int kAround = 4;  // rules and spaces on both sides of the name
  constexpr Style kLabel{.role = Role::code_label};
  const std::string_view language = code_language(info);
  if (language.empty()) return {{rule(kTop, width.value)}};
  if (width < kMinIndentedWidth) return {{{ellipsize(language, width), kLabel}}};
  const std::string label = ellipsize(language, Cols{width.value - kAround});
  const int n_rest = width.value - ui::width(label).value - 3;
  return {{rule(kTop, 1), {' ' + label + ' ', kLabel}, rule("─", n_rest)}};
}

Line code_bottom(Cols width) {
  return {{rule(kBottom, width.value)}};
}

void append_code_line(std::vector<Line>& lines, std::string_view code, Cols width,
                      Highlighter& highlighter) {
  const Cols indent = indent_width(width);
  const std::vector<Span> spans = highlighter.line(code);
  bool first = true;
  for (Line& line : wrap_columns(spans, Cols{width.value - indent.value})) {
    if (indent > Cols{0} && !line.spans.empty()) {
      if (first)
        line.spans[0].text.insert(0, kIndent);
      else
        line.spans.insert(line.spans.begin(), {std::string(kContinued), {.role = Role::dim}});
    }
    lines.push_back(std::move(line));
    first = false;
  }
}

void append_code(std::vector<Line>& lines, std::string_view code, Cols width,
                 Highlighter highlighter) {
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    append_code_line(lines, code.substr(0, end), width, highlighter);
    code.remove_prefix(std::min(end + 1, code.size()));
  }
}

std::optional<Fence> parse_fence(std::string_view line) {
  for (const char mark : {'`', '~'}) {
    const std::optional<MarkRun> run = leading_marks(line, mark);
    if (!run || run->length < 3) continue;
    if (mark == '`' && run->rest.find('`') != std::string_view::npos) return std::nullopt;
    // cmark limits the length to 255 too.
    const std::size_t length = std::min<std::size_t>(run->length, 255);
    return Fence{mark, static_cast<int>(length), static_cast<int>(run->indent)};
  }
  return std::nullopt;
}

bool closes(const Fence& fence, std::string_view line) {
  const std::optional<MarkRun> run = leading_marks(line, fence.mark);
  return run && run->length >= static_cast<std::size_t>(fence.length) &&
         run->rest.find_first_not_of(" \t") == std::string_view::npos;
}

FencedLines::FencedLines(const Fence& fence, std::string_view info) : fence_(fence) {
  const std::string_view language = code_language(info);
  is_markdown_ = language == "markdown" || language == "md" || language == "Markdown";
}

bool FencedLines::ends_at(std::string_view line) {
  ended_inner_ = inner_ && closes(*inner_, line);
  if (ended_inner_) {
    inner_.reset();
  } else if (!inner_ && is_markdown_ && !closes(fence_, line)) {
    const std::optional<Fence> fence = parse_fence(line);
    if (fence && fence->mark == fence_.mark && fence->length >= fence_.length) inner_ = fence;
  }
  return !inner_ && !ended_inner_ && closes(fence_, line);
}

std::string strip_indent(const Fence& fence, std::string_view line) {
  constexpr int kMarkdownTab = 4;
  int column = 0;
  while (column < fence.indent && !line.empty()) {
    if (line[0] == '\t') {
      // A tab loses the columns to be removed, and the rest of it becomes spaces.
      const std::string kept(static_cast<std::size_t>(kMarkdownTab - fence.indent), ' ');
      return kept + std::string(line.substr(1));
    }
    if (line[0] != ' ') break;
    line.remove_prefix(1);
    ++column;
  }
  return std::string(line);
}

}  // namespace confab::ui
