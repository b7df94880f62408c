// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_tail.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

#include "ui/markdown/markdown_tree.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::string_view kSpaces = " \t\n";

std::size_t trimmed_size(std::string_view text) {
  return text.find_last_not_of(kSpaces) + 1;
}

// Removes quote marks and whole list marks from the beginning of a line.
std::string_view without_containers(std::string_view line) {
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::string_view rest = line.substr(digits);
    const bool marked = rest.size() > 1 && (rest[1] == ' ' || rest[1] == '\t') &&
                        (digits == 0 ? std::string_view("-+*") : ".)").find(rest[0]) != npos;
    if (!marked) return line;
    line = rest.substr(2);
  }
}

// Finds emphasis, code and link targets that a paragraph leaves open. It approximates CommonMark's
// rules (section 6.2). A wrong guess lasts only until the paragraph ends.
class InlineScanner {
 public:
  explicit InlineScanner(std::string_view text) : text_(text) {}

  // Returns the text with everything closed that is open at its end, innermost first. An incomplete
  // target is left out, because it does not lead anywhere yet.
  std::string closed() {
    for (std::size_t at = 0; at < text_.size();) at = step(at);
    const bool in_target = target_ != npos && code_.empty();
    std::string out(text_.substr(0, in_target ? target_ : npos));
    out += in_target ? ")" : code_;
    if (link_ends_) out += "()";
    out += tag_;
    for (auto run = open_.rbegin(); run != open_.rend(); ++run)
      out += run->mark == '[' ? "]()" : std::string(run->length, run->mark);
    return out;
  }

 private:
  struct Run {
    char mark;
    std::size_t length;
  };

  std::size_t step(std::size_t at) {
    const char c = text_[at];
    if (c == '\\') return at + 2;
    if (c == '`') return skip_code(at);
    if (c == '*' || c == '_' || text_.substr(at).starts_with("~~")) return take_run(at);
    if (c == '[') return open_link(at);
    if (c == '<') return take_tag(at);
    if (c == ']' && close_link(at)) return at + 1;
    if (text_.substr(at).starts_with("](")) {
      target_ = at + 2;
      return at + 2;
    }
    if (c == ')' || kSpaces.find(c) != npos) target_ = npos;
    return at + 1;
  }

  std::size_t take_tag(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    const bool ends = !tag_.empty() && rest.starts_with(tag_);
    if (ends || tag_.empty()) tag_ = ends ? std::string_view() : closing_tag(rest);
    return at + 1;
  }

  // A bracket before a word may begin the text of a link, and usually does.
  std::size_t open_link(std::size_t at) {
    if (begins_alert(text_.substr(at))) return at + 1;
    const bool after_word = at > 0 && std::isalnum(static_cast<unsigned char>(text_[at - 1])) != 0;
    const bool empty = at + 1 == text_.size() || kSpaces.find(text_[at + 1]) != npos;
    if (after_word || empty) return at + 1;
    open_.push_back({'[', 1});
    ++n_open_links_;
    return at + 1;
  }

  // Removes the bracket that ends a link's text from open_, together with everything opened inside
  // it. Returns false if the link's target follows.
  bool close_link(std::size_t at) {
    if (n_open_links_ == 0) return false;
    while (open_.back().mark != '[') open_.pop_back();
    open_.pop_back();
    --n_open_links_;
    link_ends_ = at + 1 == text_.size();
    return at + 1 == text_.size() || text_[at + 1] != '(';
  }

  std::size_t run_end(std::size_t at) const {
    return std::min(text_.find_first_not_of(text_[at], at), text_.size());
  }

  // Skips to the end of the code that begins here, or to the end of the text if the code is open.
  std::size_t skip_code(std::size_t at) {
    const std::size_t begin = run_end(at);
    const std::size_t length = begin - at;
    for (std::size_t tick = text_.find('`', begin); tick != npos;) {
      const std::size_t end = run_end(tick);
      if (end - tick == length) return end;
      tick = text_.find('`', end);
    }
    code_.assign(length, '`');
    return text_.size();
  }

  std::size_t take_run(std::size_t at) {
    const std::size_t end = run_end(at);
    Run run{text_[at], end - at};
    const bool after_space = at == 0 || kSpaces.find(text_[at - 1]) != npos;
    const bool before_space = end == text_.size() || kSpaces.find(text_[end]) != npos;
    while (!after_space && run.length > 0 && !open_.empty() && open_.back().mark == run.mark) {
      const std::size_t closed = std::min(run.length, open_.back().length);
      run.length -= closed;
      open_.back().length -= closed;
      if (open_.back().length == 0) open_.pop_back();
    }
    constexpr std::string_view kOpensAfter = "([{\"'-*_:";
    // Between Chinese or Japanese characters a single mark is rarely emphasis.
    const bool after_letter = !after_space && static_cast<unsigned char>(text_[at - 1]) >= 0x80 &&
                              run.mark == '*' && run.length > 1;
    const bool opens = after_space || after_letter || kOpensAfter.find(text_[at - 1]) != npos;
    if (run.length > 0 && run.length <= 3 && opens && !before_space) open_.push_back(run);
    return end;
  }

  std::string_view text_;
  std::vector<Run> open_;
  std::string code_;      // closes the code at the end of the text
  std::string_view tag_;  // closes the HTML element at the end of the text
  int n_open_links_ = 0;
  bool link_ends_ = false;     // the text ends with the link
  std::size_t target_ = npos;  // start of the link target at the end of the text
};

// Returns where the last line begins. If the text ends in \n, this is its end.
std::size_t last_line_begin(std::string_view text) {
  return text.rfind('\n') + 1;  // 0 if there is no \n
}

bool is_row_start(std::string_view line) {
  return without_containers(line).starts_with('|');
}

// Whether a line is a table's delimiter row or the beginning of one.
bool may_delimit(std::string_view line) {
  return line.find_first_not_of("|:- \t>\n") == npos;
}

// Whether the whole lines of the last paragraph include a table's delimiter row.
bool has_delimiter_row(std::string_view text) {
  const std::size_t blank = text.rfind("\n\n");
  std::string_view rest = blank == npos ? text : text.substr(blank + 2);
  for (std::size_t end; (end = rest.find('\n')) != npos; rest.remove_prefix(end + 1)) {
    const std::string_view line = without_containers(rest.substr(0, end));
    if (may_delimit(line) && line.find('-') != npos && line.find('|') != npos) return true;
  }
  return false;
}

// For text that ends inside the row of a table: its size without the cell being written, because
// otherwise the columns would change with each letter.
std::size_t whole_cells(std::string_view text, std::size_t begin) {
  std::size_t pipe = text.rfind('|');
  while (pipe > begin && text[pipe - 1] == '\\') pipe = text.rfind('|', pipe - 1);
  const bool first = text.find('|', begin) == pipe;
  return first ? begin : pipe + 1;
}

// Returns where the undecided end of a table begins: a header without the complete row below it, or
// a cell. The result is the size of the text if there is none.
std::size_t undecided_table(std::string_view text, std::size_t begin, std::string_view line) {
  if (!line.empty() && !line.starts_with('|')) return text.size();
  if (has_delimiter_row(text)) return line.empty() ? text.size() : whole_cells(text, begin);
  std::size_t held = line.empty() ? text.size() : begin;
  if (begin == 0 || !may_delimit(line)) return held;
  const std::size_t previous = last_line_begin(text.substr(0, begin - 1));
  return is_row_start(text.substr(previous, begin - previous)) ? previous : held;
}

// Whether an item's text can still become a task's box.
bool is_task_start(std::string_view text) {
  for (const std::string_view box : {"[ ]", "[x]", "[X]"})
    if (!text.empty() && box.starts_with(text)) return true;
  return false;
}

// Removes an unfinished footnote, alert or HTML tag at the end.
std::string_view without_open_marks(std::string_view text) {
  text = without_open_tag(text);
  const std::size_t bracket = text.rfind('[');
  if (bracket == npos) return text;
  const std::string_view mark = text.substr(bracket);
  const bool footnote = mark.starts_with("[^") && mark.find_first_of(" \t\n]") == npos;
  const bool alert = begins_alert(mark) && !mark.ends_with(']');
  return footnote || alert ? text.substr(0, bracket) : text;
}

}  // namespace

std::string_view without_undecided_lines(std::string_view text) {
  const std::size_t begin = last_line_begin(text);
  const std::string_view whole = text.substr(begin);
  const std::string_view line = without_containers(whole);
  const std::size_t table = undecided_table(text, begin, line);
  if (table < text.size()) return text.substr(0, table);
  const std::string_view marks = line.substr(0, trimmed_size(line));
  const bool fence = line.starts_with("```") || line.starts_with("~~~");
  const bool task = line.size() < whole.size() && is_task_start(marks);
  const bool one_mark = marks.find_first_not_of("`~*_-+=#|> ") == npos;
  const std::size_t digits = std::min(marks.find_first_not_of("0123456789"), marks.size());
  const bool number = digits > 0 && digits <= 9 && marks.size() <= digits + 1 &&
                      (marks.size() == digits || marks[digits] == '.' || marks[digits] == ')');
  return one_mark || number || task || fence ? text.substr(0, begin) : text;
}

std::string close_inlines(std::string_view text) {
  text = text.substr(0, trimmed_size(text));
  if (text.ends_with("![")) text.remove_suffix(2);
  text = without_open_marks(text);
  text = text.substr(0, text.find_last_not_of("*_`~[\\$") + 1);
  text = text.substr(0, trimmed_size(text));
  const std::size_t blank = text.rfind("\n\n");
  const std::size_t begin = blank == npos ? 0 : blank + 2;
  return std::string(text.substr(0, begin)) + InlineScanner(text.substr(begin)).closed();
}

}  // namespace confab::ui
