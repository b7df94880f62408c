// SPDX-License-Identifier: MIT
#include "app/forms/form_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/figures.h"
#include "app/forms/code_finder.h"
#include "base/json.h"
#include "ui/code/code_block.h"
#include "ui/markdown/markdown_blocks.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using ui::MarkdownBlock;
using BlockKind = ui::MarkdownBlock::Kind;
using Fault = std::optional<std::string>;

constexpr std::string_view kBlanks = " \t\r\n";

std::string counted_items(std::size_t n, std::string_view noun) {
  return counted(static_cast<std::int64_t>(n), noun);
}

std::string quote(std::string_view line) {
  constexpr ui::Cols kMost{40};
  return fmt::format("\"{}\"", ui::ellipsize(ui::one_line(line), kMost));
}

Fault beside(const MarkdownBlock& block, std::string_view what) {
  const std::string line = block.lines.empty() ? "" : quote(block.lines.front());
  return fmt::format("there is something beside the {}: {}", what, line);
}

bool has_kind(const std::vector<MarkdownBlock>& blocks, BlockKind kind) {
  return std::ranges::find(blocks, kind, &MarkdownBlock::kind) != blocks.end();
}

Fault fault_of_count(std::size_t n, std::size_t wanted, std::string_view noun) {
  if (wanted == 0 || n == wanted) return std::nullopt;
  return fmt::format("it has {}, not {}", counted_items(n, noun), wanted);
}

// Lists with different marks follow each other as if they were one list.
Fault fault_of_marked_list(const std::vector<MarkdownBlock>& blocks, std::size_t n_wanted) {
  std::size_t n = 0;
  for (const MarkdownBlock& block : blocks) {
    if (block.kind != BlockKind::list) return beside(block, "list");
    if (block.n_empty_items > 0) return "an item of it is empty";
    n += block.n_items;
  }
  return fault_of_count(n, n_wanted, "item");
}

// Returns true for the end of a sentence of at least three words, or of a clause that continues on
// the next line.
bool is_prose(std::string_view line) {
  constexpr std::size_t kFewBlanks = 2;
  constexpr std::string_view kEnds[] = {".", "!", "?", "\u2026", "\u3002", "\uFF01", "\uFF1F"};
  line = ui::trimmed(line, " \t\r\"')*_");
  if (line.ends_with(',') || line.ends_with(';')) return true;
  const auto n_blanks = static_cast<std::size_t>(std::ranges::count(line, ' '));
  return n_blanks >= kFewBlanks &&
         std::ranges::any_of(kEnds, [&](std::string_view end) { return line.ends_with(end); });
}

// Checks items without marks. A first line that ends with a colon only announces the items. A
// single line is a sentence, unless one item was asked for. If no number was asked for, sentences
// do not count as items.
Fault fault_of_lines(const std::vector<MarkdownBlock>& blocks, std::size_t n_wanted) {
  std::vector<std::string_view> lines;
  for (const MarkdownBlock& block : blocks) {
    if (block.kind != BlockKind::text) return "it is not a list";
    lines.insert(lines.end(), block.lines.begin(), block.lines.end());
  }
  if (lines.size() > 1 && lines.front().ends_with(':')) return beside(blocks.front(), "list");
  if (lines.size() == 1 && n_wanted != 1) return "it is not a list";
  const auto prose = std::ranges::find_if(lines, is_prose);
  if (n_wanted == 0 && prose != lines.end())
    return fmt::format("it is text, not a list: {}", quote(*prose));
  return fault_of_count(lines.size(), n_wanted, "line");
}

Fault fault_of_list(std::string_view answer, std::size_t n_wanted) {
  const std::vector<MarkdownBlock> blocks = ui::markdown_blocks(answer);
  return has_kind(blocks, BlockKind::list) ? fault_of_marked_list(blocks, n_wanted)
                                           : fault_of_lines(blocks, n_wanted);
}

Fault fault_of_code(std::string_view answer, const std::string& language) {
  CodeFinder finder(language);
  std::string code = finder.feed(answer);
  code += finder.finish();
  const std::string name = language.empty() ? "code" : language + " code";
  if (!finder.has_begun()) return fmt::format("it has no {} block", name);
  if (!finder.is_complete()) return fmt::format("its {} block is not closed", name);
  if (ui::trimmed(code, kBlanks).empty()) return fmt::format("its {} block is empty", name);
  return std::nullopt;
}

// A column's name without marks for bold text or code.
std::string bare_name(std::string_view cell) {
  constexpr std::string_view kMarks = " *_`";
  cell.remove_prefix(std::min(cell.find_first_not_of(kMarks), cell.size()));
  return ui::lower_case(cell.substr(0, cell.find_last_not_of(kMarks) + 1));
}

Fault fault_of_names(const std::vector<std::string>& header,
                     const std::vector<std::string>& wanted) {
  if (Fault fault = fault_of_count(header.size(), wanted.size(), "column")) return fault;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (bare_name(header[i]) != bare_name(wanted[i]))
      return fmt::format("its column {} is {}, not {}", i + 1, quote(header[i]), wanted[i]);
  return std::nullopt;
}

Fault fault_of_rows(const std::vector<std::vector<std::string>>& rows) {
  if (rows.size() < 2) return "it has no rows below its header";
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].size() != rows.front().size())
      return fmt::format("row {} of it has {}, not {}", i, counted_items(rows[i].size(), "cell"),
                         rows.front().size());
  return std::nullopt;
}

Fault fault_of_table(std::string_view answer, const Expectation& expected) {
  const std::vector<MarkdownBlock> blocks = ui::markdown_blocks(answer);
  const auto table = std::ranges::find(blocks, BlockKind::table, &MarkdownBlock::kind);
  if (table == blocks.end()) return "it is not a table";
  for (const MarkdownBlock& block : blocks)
    if (&block != &*table) return beside(block, "table");
  const auto& rows = table->rows;
  if (Fault fault = fault_of_count(rows.front().size(), expected.n, "column")) return fault;
  if (!expected.columns.empty())
    if (Fault fault = fault_of_names(rows.front(), expected.columns)) return fault;
  return fault_of_rows(rows);
}

// The content of a code block if the text is nothing but that block; else the whole text.
std::string_view without_fence(std::string_view text) {
  const std::size_t begin = text.find('\n'), end = text.rfind('\n');
  if (begin == std::string_view::npos || begin == end) return text;
  const auto fence = ui::parse_fence(text.substr(0, begin));
  if (!fence || !ui::closes(*fence, ui::trimmed(text.substr(end), kBlanks))) return text;
  return ui::trimmed(text.substr(begin, end - begin), kBlanks);
}

std::string_view json_of(std::string_view answer) {
  return without_fence(ui::trimmed(answer, kBlanks));
}

// The text at this offset, with a little of its line before it.
std::string_view around(std::string_view text, std::size_t at) {
  constexpr std::size_t kBefore = 12;
  const std::size_t line = text.substr(0, at).rfind('\n') + 1;  // 0 in the first line
  std::size_t begin = std::max(line, at - std::min(at, kBefore));
  while (begin < at && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  return text.substr(begin, text.find('\n', at) - begin);
}

Fault fault_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "it is not valid JSON: it ends too early";
  const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
  return fmt::format("it is not valid JSON: line {} is wrong near {}", line,
                     quote(around(text, at)));
}

Fault fault_of_json(std::string_view answer) {
  const std::string_view text = json_of(answer);
  try {
    base::Json::parse(text);
    return std::nullopt;
  } catch (const base::JsonError& error) {
    return fault_at(text, error.offset());
  }
}

}  // namespace

std::optional<std::string> fault_of(std::string_view answer, const Expectation& expected,
                                    bool is_cut_off) {
  if (is_cut_off) return "it was too long, and so was cut off";
  if (ui::trimmed(answer, kBlanks).empty()) return "it is empty";
  switch (expected.kind) {
    case Expectation::Kind::list:
      return fault_of_list(answer, expected.n);
    case Expectation::Kind::code:
      return fault_of_code(answer, expected.language);
    case Expectation::Kind::table:
      return fault_of_table(answer, expected);
    case Expectation::Kind::json:
      return fault_of_json(answer);
    case Expectation::Kind::none:
      break;
  }
  return std::nullopt;
}

std::string_view content_of(std::string_view answer, const Expectation& expected) {
  return expected.kind == Expectation::Kind::json ? json_of(answer) : answer;
}

std::string refusal_of(const Expectation& expected, std::span<const std::string> faults) {
  return fmt::format("no answer has the form {} after {}; of the last one: {}", name_of(expected),
                     counted_items(faults.size(), "attempt"), faults.back());
}

}  // namespace confab::app
