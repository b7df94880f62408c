// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_table.h"

#include <cmark.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/markdown/markdown_inline.h"
#include "ui/markdown/markdown_math.h"
#include "ui/markdown/markdown_tree.h"
#include "ui/words.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::string_view kSpaces = " \t";
// Ends each cell while cmark parses it, so that cmark does not strip anything from the end of a
// heading. No text contains it, because sanitize() replaces it.
constexpr std::string_view kGuard = " \U000E0083";

struct FreeIter {
  void operator()(cmark_iter* iter) const noexcept { cmark_iter_free(iter); }
};

// The lines of a text, by number.
class SourceLines {
 public:
  explicit SourceLines(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at < text.size();) {
      begins_.push_back(at);
      at = std::min(text.find('\n', at), text.size()) + 1;
    }
  }

  std::size_t size() const { return begins_.size(); }
  std::string_view operator[](std::size_t line) const {
    if (line >= size()) return {};
    const std::size_t begin = begins_[line];
    return text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
};

// Removes the marks of the quotes around a line.
std::string_view without_quotes(std::string_view line, int n_quotes) {
  for (; n_quotes > 0; --n_quotes) {
    const std::size_t mark = line.find_first_not_of(kSpaces);
    if (mark == npos || line[mark] != '>') return line;
    line.remove_prefix(mark + 1);
  }
  return line;
}

std::string_view without_all_quotes(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
  return line;
}

// If the line is a delimiter row, returns one letter for the alignment of each column.
std::optional<std::string> parse_delimiter_row(std::string_view line) {
  if (line.find('|') == npos || line.find('-') == npos) return std::nullopt;
  if (line.find_first_not_of("|:- \t") != npos) return std::nullopt;
  std::string columns;
  for (const std::string& cell : split_row(line)) {
    std::string_view dashes = cell;
    const bool left = dashes.starts_with(':');
    if (left) dashes.remove_prefix(1);
    const bool right = dashes.ends_with(':');
    if (right) dashes.remove_suffix(1);
    if (dashes.empty() || dashes.find_first_not_of('-') != npos) return std::nullopt;
    columns += !right ? 'l' : left ? 'c' : 'r';
  }
  return columns;
}

// The end of the code that begins at a run of backticks, or the end of the run if it is not closed.
std::size_t code_end(std::string_view line, std::size_t begin) {
  const auto run_end = [line](std::size_t at) {
    return std::min(line.find_first_not_of('`', at), line.size());
  };
  const std::size_t length = run_end(begin) - begin;
  for (std::size_t at = run_end(begin); (at = line.find('`', at)) != npos; at = run_end(at))
    if (run_end(at) - at == length) return run_end(at);
  return run_end(begin);
}

std::string without_escaped_pipes(std::string_view code) {
  std::string out;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code[i] != '\\' || i + 1 == code.size() || code[i + 1] != '|') out += code[i];
  return out;
}

// Splits a row of a table with this number of columns. GitHub also splits at pipes in code and
// drops excess cells. But models write such pipes unescaped, so a row with too many cells is split
// again outside of code.
std::vector<std::string> split_to(std::size_t n_columns, std::string_view line) {
  std::vector<std::string> cells = split_row(line);
  if (cells.size() <= n_columns || line.find('`') == npos) return cells;
  std::vector<std::string> whole = split_row(line, Pipes::not_in_code);
  return whole.size() < cells.size() ? whole : cells;
}

// A table in the lines of a paragraph. Its delimiter row is the second line.
struct FoundTable {
  cmark_node* paragraph;
  std::string columns;
  std::string source;
  std::vector<std::string> text;               // the lines before it
  std::vector<std::vector<std::string>> rows;  // the header first
};

class TableFinder {
 public:
  TableFinder(cmark_node* document, const SourceLines& lines)
      : document_(document), lines_(lines) {}

  std::vector<FoundTable> run() {
    const std::unique_ptr<cmark_iter, FreeIter> iter(cmark_iter_new(document_));
    for (cmark_event_type event; (event = cmark_iter_next(iter.get())) != CMARK_EVENT_DONE;) {
      cmark_node* node = cmark_iter_get_node(iter.get());
      const cmark_node_type type = cmark_node_get_type(node);
      if (type == CMARK_NODE_BLOCK_QUOTE) n_quotes_ += event == CMARK_EVENT_ENTER ? 1 : -1;
      if (type == CMARK_NODE_PARAGRAPH && event == CMARK_EVENT_ENTER) look_into(node);
    }
    return std::move(tables_);
  }

 private:
  std::string_view line(cmark_node* paragraph, std::size_t number) const {
    if (number != first_line(paragraph)) return without_quotes(lines_[number], n_quotes_);
    const auto column = static_cast<std::size_t>(cmark_node_get_start_column(paragraph));
    return lines_[number].substr(std::min(column - 1, lines_[number].size()));
  }

  void look_into(cmark_node* paragraph) {
    const std::size_t begin = first_line(paragraph), end = last_line(paragraph) + 1;
    for (std::size_t i = begin + 1; i < end; ++i) {
      std::optional<std::string> columns = parse_delimiter_row(line(paragraph, i));
      if (!columns || split_to(columns->size(), line(paragraph, i - 1)).size() != columns->size())
        continue;
      tables_.push_back({paragraph, std::move(*columns), {}, {}, {}});
      FoundTable& table = tables_.back();
      for (std::size_t j = begin; j + 1 < i; ++j) table.text.emplace_back(line(paragraph, j));
      for (std::size_t j = i - 1; j < end; ++j) add_row(table, line(paragraph, j), j == i);
      return;
    }
  }

  static void add_row(FoundTable& table, std::string_view line, bool is_delimiter) {
    table.source += trimmed(line);
    table.source += '\n';
    if (is_delimiter) return;
    table.rows.push_back(split_to(table.columns.size(), line));
    std::vector<std::string>& row = table.rows.back();
    // Excess cells stay readable in the last column.
    for (std::size_t i = table.columns.size(); i < row.size(); ++i)
      row[table.columns.size() - 1] += " | " + row[i];
    if (row.size() > table.columns.size()) row.resize(table.columns.size());
  }

  cmark_node* document_;
  const SourceLines& lines_;
  int n_quotes_ = 0;
  std::vector<FoundTable> tables_;
};

// The document's link reference definitions, judged by their lines: those that begin like a
// definition and are not in a block of code or HTML.
std::string find_definitions(cmark_node* document, const SourceLines& lines) {
  std::vector<bool> literal(lines.size());
  const std::unique_ptr<cmark_iter, FreeIter> iter(cmark_iter_new(document));
  for (cmark_event_type event; (event = cmark_iter_next(iter.get())) != CMARK_EVENT_DONE;) {
    cmark_node* node = cmark_iter_get_node(iter.get());
    const cmark_node_type type = cmark_node_get_type(node);
    if (type != CMARK_NODE_CODE_BLOCK && type != CMARK_NODE_HTML_BLOCK) continue;
    for (std::size_t i = first_line(node); i <= last_line(node) && i < lines.size(); ++i)
      literal[i] = true;
  }
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = without_all_quotes(lines[i]);
    const std::size_t colon = line.find("]:");
    if (literal[i] || !line.starts_with('[') || colon == npos) continue;
    out += '\n';
    out += line;
    out += '\n';
    // The target may be on the next line, unless that line could open a block.
    if (line.find_first_not_of(kSpaces, colon + 2) == npos) {
      const std::string_view next = without_all_quotes(lines[i + 1]);
      if (next.find_first_of("`~<#") != 0) out += std::string(next) + '\n';
    }
  }
  return out;
}

// Puts all cells into one document: the text before a table as a paragraph, and each cell as a
// heading.
std::string cells_document(const std::vector<FoundTable>& tables) {
  std::string out;
  for (const FoundTable& table : tables) {
    for (const std::string& line : table.text) {
      // The indent keeps lazy continuation lines from being anything but text.
      if (&line != &table.text.front()) out += "    ";
      out += line;
      out += '\n';
    }
    out += '\n';
    for (const std::vector<std::string>& row : table.rows)
      for (const std::string& cell : row) out.append("# ").append(cell).append(kGuard).append("\n");
  }
  return out;
}

void take_off_guard(cmark_node* heading) {
  cmark_node* text = cmark_node_last_child(heading);
  if (text == nullptr || cmark_node_get_type(text) != CMARK_NODE_TEXT) return;
  std::string literal = cmark_node_get_literal(text);
  literal.resize(literal.size() - std::min(literal.size(), kGuard.size() - 1));
  while (literal.ends_with(' ')) literal.pop_back();
  cmark_node_set_literal(text, literal.c_str());
}

// Returns a parsed cell as a separate inline node.
MarkdownTree take_cell(cmark_node* heading) {
  take_off_guard(heading);
  MarkdownTree cell(cmark_node_new(CMARK_NODE_CUSTOM_INLINE));
  move_children(cell.get(), heading);
  return cell;
}

// Puts a table's parsed text and cells into its paragraph. `next` is their first node.
void graft(const FoundTable& table, cmark_node*& next) {
  while (cmark_node* child = cmark_node_first_child(table.paragraph)) cmark_node_free(child);
  for (; next != nullptr && cmark_node_get_type(next) != CMARK_NODE_HEADING;
       next = cmark_node_next(next))
    move_children(table.paragraph, next);
  MarkdownTree root(cmark_node_new(CMARK_NODE_CUSTOM_INLINE));
  cmark_node_set_on_enter(root.get(), table.columns.c_str());
  cmark_node_set_on_exit(root.get(), table.source.c_str());
  for (const std::vector<std::string>& cells : table.rows) {
    cmark_node* row = cmark_node_new(CMARK_NODE_CUSTOM_INLINE);
    cmark_node_append_child(root.get(), row);
    for (std::size_t i = 0; i < cells.size() && next != nullptr; ++i, next = cmark_node_next(next))
      cmark_node_append_child(row, take_cell(next).release());
  }
  cmark_node_append_child(table.paragraph, root.release());
}

Align alignment(char column) {
  return column == 'c' ? Align::center : column == 'r' ? Align::right : Align::left;
}

}  // namespace

std::vector<std::string> split_row(std::string_view line, Pipes pipes) {
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  std::vector<std::string> cells;
  std::string cell;
  bool ended = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    ended = line[i] == '|';
    if (ended) {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      if (line[i] != '|') cell += '\\';
      cell += line[i];
    } else if (line[i] == '`' && pipes == Pipes::not_in_code) {
      const std::size_t end = code_end(line, i);
      cell += without_escaped_pipes(line.substr(i, end - i));
      i = end - 1;
    } else {
      cell += line[i];
    }
  }
  if (!ended) cells.emplace_back(trimmed(cell));
  return cells;
}

void graft_tables(cmark_node* document, std::string_view shielded) {
  if (shielded.find('|') == npos) return;
  const SourceLines lines(shielded);
  const std::vector<FoundTable> tables = TableFinder(document, lines).run();
  if (tables.empty()) return;
  std::string cells = cells_document(tables);
  if (shielded.find("]:") != npos) cells += find_definitions(document, lines);
  const MarkdownTree parsed = parse_commonmark(cells);
  cmark_consolidate_text_nodes(parsed.get());
  cmark_node* next = cmark_node_first_child(parsed.get());
  for (const FoundTable& table : tables) graft(table, next);
}

cmark_node* table_of(cmark_node* paragraph) {
  cmark_node* last = cmark_node_last_child(paragraph);
  const bool is_table = last != nullptr && cmark_node_get_type(last) == CMARK_NODE_CUSTOM_INLINE;
  return is_table ? last : nullptr;
}

std::string table_source(cmark_node* table) {
  return reveal(cmark_node_get_on_exit(table));
}

Table read_table(cmark_node* table, const Style& base, MarkdownOptions options) {
  Table out;
  for (const char column : std::string_view(cmark_node_get_on_enter(table)))
    out.columns.push_back(alignment(column));
  Style style{.role = Role::strong, .bold = true};
  for (cmark_node* row = cmark_node_first_child(table); row != nullptr;
       row = cmark_node_next(row)) {
    out.rows.emplace_back();
    for (cmark_node* cell = cmark_node_first_child(row); cell != nullptr;
         cell = cmark_node_next(cell))
      out.rows.back().push_back(inline_text(cell, style, options, Cols{0}));
    style = base;
  }
  return out;
}

}  // namespace confab::ui
