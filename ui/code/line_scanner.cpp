// SPDX-License-Identifier: MIT
#include "ui/code/line_scanner.h"

#include <algorithm>
#include <cstddef>

#include "ui/code/code_marks.h"
#include "ui/code/language.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;

// The role of a line that is none of a hunk's, or of one that ends it.
Role diff_role(DiffState& state, std::string_view line) {
  if (line.starts_with("@@")) {
    state.in_hunk = true;
    return Role::code_meta;
  }
  constexpr std::string_view kHeaders =
      "diff index Index: similarity rename copy new deleted old Binary commit";
  const bool header = is_listed(kHeaders, line.substr(0, line.find(' ')));
  // Inside a hunk these two are a removed and an added line, unless they name a file.
  const bool file = line.starts_with("--- ") || line.starts_with("+++ ");
  const std::string_view name = line.substr(std::min<std::size_t>(line.size(), 4));
  if (header || (file && (!state.in_hunk || begins_with_one_of(name, "a/ b/ /dev/null")))) {
    state.in_hunk = false;
    return Role::code_meta;
  }
  if (line.starts_with('+') || line.starts_with('>')) return Role::diff_added;
  if (line.starts_with('-') || line.starts_with('<')) return Role::diff_removed;
  return line.starts_with("\\ ") ? Role::code_comment : Role::code_block;
}

std::size_t run_end(std::string_view text, std::size_t from) {
  return std::min(text.find_first_not_of(text[from], from), text.size());
}

// Where the mark of a list item ends that begins at `from`; `from` when there is none.
std::size_t item_mark_end(std::string_view line, std::size_t from) {
  std::size_t end = from;
  while (end < line.size() && end - from < 9 && is_digit(line[end])) ++end;
  if (end >= line.size()) return from;
  const std::string_view marks = end == from ? "-*+" : ".)";
  const bool marked =
      marks.find(line[end]) != npos && end + 1 < line.size() && is_blank(line[end + 1]);
  return marked ? end + 1 : from;
}

// The code spans and links of a line of prose.
void put_inlines(std::string_view line, std::size_t at, SpanWriter& out) {
  bool no_target = false;
  std::size_t max_run = kMaxMarkBytes;  // a longer run of backticks closes nowhere on this line
  while ((at = line.find_first_of("`]\\", at)) != npos) {
    if (line[at] == '\\') {
      at = std::min(at + 2, line.size());
      continue;
    }
    if (line[at] == ']') {
      const std::size_t close =
          !no_target && line.substr(at).starts_with("](") ? line.find(')', at) : npos;
      no_target = no_target || (close == npos && line.substr(at).starts_with("]("));
      if (close != npos) {
        out.put(at + 2, Role::code_block);
        out.put(close, Role::code_type);
      }
      at = close == npos ? at + 1 : close;
      continue;
    }
    const std::size_t begin = at;
    at = run_end(line, begin);
    const std::string_view run = line.substr(begin, at - begin);
    const std::size_t close = run.size() < max_run ? line.find(run, at) : npos;
    if (close == npos) {
      max_run = std::min(max_run, run.size());
      continue;
    }
    at = run_end(line, close);
    out.put(begin, Role::code_block);
    out.put(at, Role::code_string);
  }
  out.put(line.size(), Role::code_block);
}

// Behind the prompt that a line begins with; 0: none.
std::size_t prompt_end(std::string_view line) {
  constexpr std::size_t kMaxPromptBytes = 80;
  for (const std::string_view prompt : {"$ ", "% ", "# ", "> ", ">>> ", "... "})
    if (line.starts_with(prompt)) return prompt.size();
  const std::string_view head = line.substr(0, kMaxPromptBytes);
  const std::size_t end = head.find_first_of("$#%>");
  const std::size_t at = head.find_first_of("@\\");  // user@host:~$, PS C:\>
  const bool prompt =
      end != npos && at != npos && at < end && end + 1 < head.size() && head[end + 1] == ' ';
  return prompt ? end + 2 : 0;
}

}  // namespace

void scan_diff(DiffState& state, std::string_view line, SpanWriter& out) {
  out.put(line.size(), diff_role(state, line));
}

void scan_markdown(MarkdownState& state, std::string_view line, SpanWriter& out) {
  const std::size_t first = skip_blanks(line, 0);
  const std::string_view text = line.substr(first);
  if (text.starts_with("```") || text.starts_with("~~~")) {
    const std::string_view run = text.substr(0, run_end(text, 0));
    if (state.fence.empty())
      state.fence = run;
    else if (run.starts_with(state.fence))
      state.fence.clear();
    return out.put(line.size(), Role::code_meta);
  }
  if (!state.fence.empty()) return out.put(line.size(), Role::code_string);
  const std::size_t n_marks = text.starts_with('#') ? run_end(text, 0) : 0;
  if (n_marks > 0 && n_marks <= 6 && (n_marks == text.size() || text[n_marks] == ' '))
    return out.put(line.size(), Role::code_keyword);
  if (text.starts_with('>')) return out.put(line.size(), Role::code_comment);
  const std::size_t mark = item_mark_end(line, first);
  if (mark > first) out.put(mark, Role::code_function);
  put_inlines(line, mark, out);
}

void scan_console(ConsoleState& state, std::string_view line, SpanWriter& out) {
  const bool goes_on =
      state.command.open != nullptr || state.command.in_heredoc || state.command.continued;
  const std::size_t prompt = goes_on ? 0 : prompt_end(line);
  if (!goes_on && prompt == 0) return out.put(line.size(), Role::code_block);
  out.put(prompt, Role::code_meta);
  const Language* shell = find_language("sh");
  scan_code(*shell, state.command, line, prompt, line.size(), out);
}

}  // namespace confab::ui
