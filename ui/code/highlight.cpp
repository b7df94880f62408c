// SPDX-License-Identifier: MIT
#include "ui/code/highlight.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "ui/code/code_marks.h"
#include "ui/code/code_scanner.h"
#include "ui/code/language.h"
#include "ui/words.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;

// --- lines identified by their beginning: patches, Markdown source, terminal sessions

struct DiffState {
  bool in_hunk = false;
};

// The role of a line outside of a hunk, or of one that ends a hunk.
Role diff_role(DiffState& state, std::string_view line) {
  if (line.starts_with("@@")) {
    state.in_hunk = true;
    return Role::code_meta;
  }
  constexpr std::string_view kHeaders =
      "diff index Index: similarity rename copy new deleted old Binary commit";
  const bool header = is_listed(kHeaders, line.substr(0, line.find(' ')));
  // In a hunk these are a removed and an added line, unless they name a file.
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

void scan_diff(DiffState& state, std::string_view line, SpanWriter& out) {
  out.put(line.size(), diff_role(state, line));
}

struct MarkdownState {
  std::string fence = {};  // the open fence
};

std::size_t run_end(std::string_view text, std::size_t from) {
  return std::min(text.find_first_not_of(text[from], from), text.size());
}

// Returns where the mark of the list item that begins at `from` ends, or `from` if there is none.
std::size_t item_mark_end(std::string_view line, std::size_t from) {
  std::size_t end = from;
  while (end < line.size() && end - from < 9 && is_digit(line[end])) ++end;
  if (end >= line.size()) return from;
  const std::string_view marks = end == from ? "-*+" : ".)";
  const bool marked =
      marks.find(line[end]) != npos && end + 1 < line.size() && is_blank(line[end + 1]);
  return marked ? end + 1 : from;
}

// Writes the code spans and links of a line of prose.
void put_inlines(std::string_view line, std::size_t at, SpanWriter& out) {
  bool no_target = false;
  std::size_t max_run = kMaxMarkBytes;  // a longer run of backticks is not closed on this line
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

// Lines after a prompt ("$ ", "user@host:~$ ") are commands; the others are output.
struct ConsoleState {
  CodeState command = {};
};

// The length of the prompt at the beginning of a line; 0 if there is none.
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

void scan_console(ConsoleState& state, std::string_view line, SpanWriter& out) {
  const bool goes_on =
      state.command.open != nullptr || state.command.in_heredoc || state.command.continued;
  const std::size_t prompt = goes_on ? 0 : prompt_end(line);
  if (!goes_on && prompt == 0) return out.put(line.size(), Role::code_block);
  out.put(prompt, Role::code_meta);
  const Language* shell = find_language("sh");
  scan_code(*shell, state.command, line, prompt, line.size(), out);
}

// --- HTML and XML, with the scripts and style sheets in HTML

// The state that one line passes to the next.
struct MarkupState {
  std::string_view close = {};  // end mark of the open comment, declaration or CDATA section
  Role close_role = Role::code_comment;
  bool in_tag = false;
  char quote = 0;                      // quote of the open attribute value
  std::string element = {};            // "script" or "style" while that tag is open
  const Language* embedded = nullptr;  // language of the code up to the end of the element
  CodeState code = {};
};

// A section other than a tag, with its own begin and end marks. The first match counts.
struct Section {
  std::string_view open;
  std::string_view close;
  Role role;
};
constexpr std::array<Section, 4> kSections = {{{"<!--", "-->", Role::code_comment},
                                               {"<![CDATA[", "]]>", Role::code_string},
                                               {"<?", "?>", Role::code_meta},
                                               {"<!", ">", Role::code_meta}}};

bool is_tag_char(char c) {
  return is_name_char(c) || c == '-' || c == ':' || c == '.';
}

class MarkupScanner {
 public:
  MarkupScanner(MarkupState& state, std::string_view line, SpanWriter& out)
      : state_(state), line_(line), out_(out) {}

  void run() {
    while (at_ < line_.size() || state_.embedded != nullptr) {
      if (state_.embedded != nullptr) {
        if (!code()) return;
      } else if (!state_.close.empty()) {
        section();
      } else if (state_.quote != 0) {
        value();
      } else if (state_.in_tag) {
        in_tag();
      } else {
        text();
      }
    }
  }

 private:
  void take(std::size_t end, Role role) {
    at_ = std::min(end, line_.size());
    out_.put(at_, role);
  }
  std::string_view rest() const { return line_.substr(at_); }
  char at(std::size_t index) const { return index < line_.size() ? line_[index] : '\0'; }
  std::size_t name_end(std::size_t from) const {
    while (is_tag_char(at(from))) ++from;
    return from;
  }

  // Returns true if the code has ended.
  bool code() {
    const std::string end_tag = "</" + state_.element;
    const auto found =
        std::search(line_.begin() + static_cast<std::ptrdiff_t>(at_), line_.end(), end_tag.begin(),
                    end_tag.end(), [](char a, char b) { return to_lower(a) == b; });
    const auto end = static_cast<std::size_t>(found - line_.begin());
    scan_code(*state_.embedded, state_.code, line_, at_, end, out_);
    at_ = end;
    if (found == line_.end()) return false;
    state_.embedded = nullptr;
    state_.element.clear();
    state_.code = {};
    return true;
  }

  void section() {
    const std::size_t close = line_.find(state_.close, at_);
    take(close == npos ? npos : close + state_.close.size(), state_.close_role);
    if (close != npos) state_.close = {};
  }

  void value() {
    const std::size_t close = line_.find(state_.quote, at_);
    take(close == npos ? npos : close + 1, Role::code_string);
    if (close != npos) state_.quote = 0;
  }

  void in_tag() {
    const char c = line_[at_];
    if (c == '"' || c == '\'') {
      state_.quote = c;
      ++at_;
      if (at_ == line_.size()) out_.put(at_, Role::code_string);
    } else if (c == '>') {
      take(at_ + 1, Role::code_keyword);
      state_.in_tag = false;
      if (!state_.element.empty())
        state_.embedded = find_language(state_.element == "style" ? "css" : "javascript");
    } else if (is_tag_char(c)) {
      const bool value = at_ > 0 && line_[at_ - 1] == '=';
      take(name_end(at_), value ? Role::code_string : Role::code_type);
    } else {
      if (c == '/' && at(at_ + 1) == '>') state_.element.clear();
      take(at_ + 1, Role::code_block);
    }
  }

  void text() {
    if (rest().starts_with('&') && entity()) return;
    if (!rest().starts_with('<')) return take(line_.find_first_of("<&", at_ + 1), Role::code_block);
    for (const Section& each : kSections) {
      if (!rest().starts_with(each.open)) continue;
      state_.close = each.close;
      state_.close_role = each.role;
      return take(at_ + each.open.size(), each.role);
    }
    tag();
  }

  bool entity() {
    constexpr std::size_t kMaxEntityBytes = 32;
    const std::size_t end = rest().substr(0, kMaxEntityBytes).find_first_of("; <", 1);
    if (end == npos || end == 1 || rest()[end] != ';') return false;
    take(at_ + end + 1, Role::code_number);
    return true;
  }

  void tag() {
    const bool closing = at(at_ + 1) == '/';
    const std::size_t name = at_ + (closing ? 2 : 1);
    if (!is_tag_char(at(name)) || is_digit(at(name))) return take(at_ + 1, Role::code_block);
    const std::size_t end = name_end(name);
    const std::string element =
        lower_case(line_.substr(name, std::min<std::size_t>(end - name, 8)));
    state_.element.clear();
    if (!closing && (element == "script" || element == "style")) state_.element = element;
    state_.in_tag = true;
    take(end, Role::code_keyword);
  }

  MarkupState& state_;
  std::string_view line_;
  std::size_t at_ = 0;
  SpanWriter& out_;
};

void scan_markup(MarkupState& state, std::string_view line, SpanWriter& out) {
  MarkupScanner(state, line, out).run();
}

// --- the choice of the scanner

using LineState = std::variant<CodeState, MarkupState, DiffState, MarkdownState, ConsoleState>;

LineState first_state(Grammar grammar) {
  switch (grammar) {
    case Grammar::markup:
      return MarkupState{};
    case Grammar::diff:
      return DiffState{};
    case Grammar::markdown:
      return MarkdownState{};
    case Grammar::console:
      return ConsoleState{};
    case Grammar::code:
      break;
  }
  return CodeState{};
}

// Calls the scanner for the type of the state.
struct Scan {
  const Language& language;
  std::string_view line;
  SpanWriter& out;

  void operator()(CodeState& state) const { scan_code(language, state, line, 0, line.size(), out); }
  void operator()(MarkupState& state) const { scan_markup(state, line, out); }
  void operator()(DiffState& state) const { scan_diff(state, line, out); }
  void operator()(MarkdownState& state) const { scan_markdown(state, line, out); }
  void operator()(ConsoleState& state) const { scan_console(state, line, out); }
};

}  // namespace

struct Highlighter::State {
  const Language* language;  // nullptr: unknown
  LineState line;
};

Highlighter::Highlighter(std::string_view info) {
  const Language* language = find_language(info);
  const Grammar grammar = language == nullptr ? Grammar::code : language->grammar;
  state_ = std::make_unique<State>(State{language, first_state(grammar)});
}
Highlighter::~Highlighter() = default;
Highlighter::Highlighter(const Highlighter& other)
    : state_(std::make_unique<State>(*other.state_)) {}
Highlighter& Highlighter::operator=(const Highlighter& other) {
  *this = Highlighter(other);
  return *this;
}
Highlighter::Highlighter(Highlighter&& other) noexcept = default;
Highlighter& Highlighter::operator=(Highlighter&& other) noexcept = default;

std::vector<Span> Highlighter::line(std::string_view code) {
  SpanWriter out(code);
  if (state_->language != nullptr)
    std::visit(Scan{*state_->language, code, out}, state_->line);
  else
    out.put(code.size(), Role::code_block);
  return out.take();
}

}  // namespace confab::ui
