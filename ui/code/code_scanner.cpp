// SPDX-License-Identifier: MIT
#include "ui/code/code_scanner.h"

#include <algorithm>
#include <utility>

#include "ui/code/code_marks.h"

namespace confab::ui {

void SpanWriter::put(std::size_t end, Role role) {
  if (end <= begin_) return;
  const std::string_view text = line_.substr(begin_, end - begin_);
  begin_ = end;
  if (!spans_.empty() && spans_.back().style.role == role)
    spans_.back().text += text;
  else
    spans_.push_back({std::string(text), {.role = role}});
}

namespace {

constexpr std::size_t npos = std::string_view::npos;

class Scanner {
 public:
  Scanner(const Language& language, CodeState& state, std::string_view text, std::size_t begin,
          SpanWriter& out)
      : language_(language), state_(state), text_(text), begin_(begin), at_(begin), out_(out) {}

  void run() {
    command_ = !std::exchange(state_.continued, false);
    if (!in_heredoc() && !in_block_scalar())
      while (at_ < text_.size()) state_.open != nullptr ? go_on() : step();
    end_line();
  }

 private:
  bool in_heredoc() {
    if (!state_.in_heredoc) return false;
    const std::size_t word = skip_blanks(text_, at_);
    const std::size_t end = word + state_.close.size();
    const bool ends = text_.substr(word).starts_with(state_.close) && !is_word(at(end));
    take(ends ? end : text_.size(), Role::code_string);
    state_.in_heredoc = !ends;
    return !ends;
  }

  bool in_block_scalar() {
    if (!state_.block_indent) return false;
    const std::size_t first = skip_blanks(text_, at_);
    if (first == text_.size() || first - begin_ > *state_.block_indent) {
      take(text_.size(), Role::code_string);
      return true;
    }
    state_.block_indent.reset();
    return false;
  }

  void end_line() {
    if (language_.keys == Keys::yaml && indent_ && is_block_scalar()) state_.block_indent = indent_;
    if (!heredoc_.empty() && state_.open == nullptr) {
      state_.in_heredoc = true;
      state_.close = std::move(heredoc_);
    }
    if (state_.open != nullptr && !state_.open->multi_line && !state_.continued)
      state_.open = nullptr;
    while (!state_.levels.empty() && !state_.levels.back().string->multi_line)
      state_.levels.pop_back();
  }

  // Whether the line ends in the head of a block scalar: | or >, perhaps followed by - + or a
  // digit.
  bool is_block_scalar() const {
    const std::size_t last = text_.find_last_not_of(" \t+-0123456789");
    return last != npos && last > begin_ && (text_[last] == '|' || text_[last] == '>') &&
           is_blank(text_[last - 1]);
  }

  void step() {
    const char c = text_[at_];
    if (is_blank(c)) return take(skip_blanks(text_, at_), Role::code_block);
    const bool first = std::exchange(first_, false);
    if (first && (preprocessor() || key())) return;
    if (enclosed() || line_comment() || heredoc() || character() || regex() || name_behind_mark() ||
        variable() || number() || tag() || word(first))
      return;
    punctuation();
  }

  void take(std::size_t end, Role role) {
    at_ = end;
    out_.put(end, role);
  }

  std::string_view rest() const { return text_.substr(at_); }
  char at(std::size_t index) const { return index < text_.size() ? text_[index] : '\0'; }
  char before() const { return at_ > begin_ ? text_[at_ - 1] : ' '; }
  bool is_word(char c) const { return is_name_char(c) || language_.word_chars.find(c) != npos; }
  std::size_t word_end(std::size_t from) const {
    while (from < text_.size() && is_word(text_[from])) ++from;
    return from;
  }
  // Whether a comment or string may begin here, in a language that requires a word boundary before
  // it.
  bool apart() const {
    return !language_.spaced_marks || std::string_view(" \t([{,:=;|&").find(before()) != npos;
  }

  // Moves to the end of the open string or comment, or to the end of the line.
  void go_on() {
    const Enclosed& open = *state_.open;
    const std::string_view close =
        state_.close.empty() ? open.close : std::string_view(state_.close);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (open.escape != 0 && c == open.escape) {
        state_.continued = at_ + 1 == text_.size();
        at_ = std::min(at_ + 2, text_.size());
      } else if (c == close[0] && rest().starts_with(close)) {
        at_ += close.size();
        if (--state_.depth == 0) return close_enclosed();
      } else if (open.nests && rest().starts_with(open.open)) {
        at_ += open.open.size();
        ++state_.depth;
      } else if (begins_interpolation(open)) {
        return begin_interpolation(open);
      } else {
        ++at_;
      }
    }
    out_.put(at_, open.role);
  }

  void close_enclosed() {
    const Role role = std::exchange(state_.open, nullptr)->role;
    const bool key =
        language_.string_keys && role == Role::code_string && at(skip_blanks(text_, at_)) == ':';
    out_.put(at_, key ? Role::code_type : role);
    after_value_ = role == Role::code_string;
  }

  bool begins_interpolation(const Enclosed& open) const {
    return !open.interpolation.empty() && rest().starts_with(open.interpolation) &&
           state_.levels.size() < kMaxLevels;
  }

  void begin_interpolation(const Enclosed& open) {
    out_.put(at_, open.role);
    take(at_ + open.interpolation.size(), Role::code_meta);
    state_.levels.push_back({&open, 0});
    state_.open = nullptr;
    after_value_ = false;
    command_ = true;
  }

  bool enclosed() {
    for (const Enclosed& rule : language_.enclosed) {
      if (!rest().starts_with(rule.open)) continue;
      if ((rule.line_start && at_ != begin_) || !apart()) continue;
      const std::optional<Opened> opened = open_mark(rule, rest());
      if (!opened) continue;
      state_.open = &rule;
      state_.close = opened->close;
      state_.depth = 1;
      at_ += opened->n_bytes;
      command_ = command_ && rule.role == Role::code_comment;
      if (at_ == text_.size()) out_.put(at_, rule.role);
      return true;
    }
    return false;
  }

  bool line_comment() {
    if (!apart() || !begins_with_one_of(rest(), language_.line_comments)) return false;
    take(text_.size(), Role::code_comment);
    return true;
  }

  bool heredoc() {
    if (language_.heredoc.empty() || !rest().starts_with(language_.heredoc)) return false;
    const std::optional<Opened> opened = open_heredoc(language_.heredoc, rest());
    if (opened) {
      heredoc_ = opened->close;
      take(at_ + opened->n_bytes, Role::code_string);
    } else {
      take(at_ + run_length(text_, at_, '<'), Role::code_block);
    }
    return true;
  }

  bool preprocessor() {
    if (!language_.preprocessor || text_[at_] != '#') return false;
    const std::size_t word = skip_blanks(text_, at_ + 1);
    const std::size_t end = word_end(word);
    const std::string_view directive = text_.substr(word, end - word);
    take(end, Role::code_meta);
    if (directive != "include" && directive != "import") return true;
    const std::size_t file = skip_blanks(text_, end);
    const std::size_t close = at(file) == '<' ? text_.find('>', file) : npos;
    out_.put(file, Role::code_block);
    if (close != npos) take(close + 1, Role::code_string);
    return true;
  }

  bool key() {
    if (language_.keys == Keys::none || language_.keys == Keys::css) return false;
    if (language_.labels && text_[begin_] == '\t') return false;  // a recipe line of a makefile
    std::size_t begin = at_;
    while (language_.keys == Keys::yaml && at(begin) == '-' && is_blank(at(begin + 1)))
      begin = skip_blanks(text_, begin + 1);
    indent_ = at_ - begin_;
    if (begin > at_) take(begin, Role::code_block);
    if (at_ == text_.size()) return true;
    const std::size_t end =
        language_.keys == Keys::yaml ? yaml_key_end(text_, at_) : assigned_name_end(text_, at_);
    if (end == npos) return false;
    indent_ = at_ - begin_;
    take(end, Role::code_type);
    return true;
  }

  bool character() {
    if (!language_.char_literals || text_[at_] != '\'') return false;
    const std::size_t n = character_length(rest());
    if (n > 0) {
      take(at_ + n, Role::code_string);
    } else if (!is_word(before()) && is_name_char(at(at_ + 1))) {
      take(word_end(at_ + 1), Role::code_meta);  // a lifetime or a type variable
    } else {
      take(at_ + 1, Role::code_block);
    }
    after_value_ = true;
    return true;
  }

  bool regex() {
    if (!language_.regexes || after_value_ || no_regex_ || text_[at_] != '/') return false;
    if (is_blank(at(at_ + 1))) return false;
    const std::size_t end = regex_end(text_, at_);
    no_regex_ = end == npos;
    if (no_regex_) return false;
    take(word_end(end), Role::code_string);
    after_value_ = true;
    return true;
  }

  // @decorator or :atom.
  bool name_behind_mark() {
    const char c = text_[at_];
    if (c == '\0' || (c != language_.decorator && c != language_.atom)) return false;
    if (is_word(before()) || before() == c || !is_name_char(at(at_ + 1)) || is_digit(at(at_ + 1)))
      return false;
    const bool decorator = c == language_.decorator;
    std::size_t end = word_end(at_ + 1);
    while (decorator && at(end) == '.' && is_name_char(at(end + 1))) end = word_end(end + 1);
    take(end, decorator ? Role::code_meta : Role::code_number);
    after_value_ = !decorator;
    return true;
  }

  bool variable() {
    const char c = text_[at_];
    if (language_.sigils.find(c) == npos || !apart()) return false;
    const bool bracketed =
        c == '$' && (at(at_ + 1) == '{' || (at(at_ + 1) == '(' && !begins_command('(')));
    std::size_t end = at_ + (bracketed ? 2 : 1);
    const std::size_t name = end;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    if (end == name && c == '\\') {
      take(std::min(at_ + 2, text_.size()), Role::code_block);
      return true;
    }
    if (end == name && c == '$' && std::string_view("@<^?*#!$-&+").find(at(end)) != npos) ++end;
    if (end == name) return false;
    if (bracketed && (at(end) == '}' || at(end) == ')')) ++end;
    const bool css_color = language_.keys == Keys::css && c == '#' && in_value_;
    if (language_.keys == Keys::css && c != '$' && in_value_ && !css_color) return false;
    take(std::min(end, text_.size()), css_color ? Role::code_number : language_.sigil_role);
    after_value_ = true;
    command_ = false;
    return true;
  }

  bool number() {
    const char c = text_[at_];
    if (!is_digit(c) && (c != '.' || !is_digit(at(at_ + 1)) || after_value_)) return false;
    take(number_end(text_, at_), Role::code_number);
    after_value_ = true;
    command_ = false;
    return true;
  }

  // <Name or </Name in code.
  bool tag() {
    if (!language_.tags || text_[at_] != '<') return false;
    const bool closing = at(at_ + 1) == '/';
    const std::size_t name = at_ + (closing ? 2 : 1);
    if ((after_value_ && !closing) || !is_name_char(at(name)) || is_digit(at(name))) return false;
    std::size_t end = name;
    while (is_name_char(at(end)) || at(end) == '.' || at(end) == '-') ++end;
    out_.put(name, Role::code_block);
    take(end, Role::code_type);
    after_value_ = true;
    return true;
  }

  bool word(bool first) {
    if (!is_word(text_[at_])) return false;
    const std::size_t end = word_end(at_);
    const std::string_view word = text_.substr(at_, end - at_);
    if (is_prefix(word) && (at(end) == '"' || (at(end) == '\'' && !language_.char_literals))) {
      at_ = end;
      return enclosed();
    }
    const Role role = role_of(word, end, first);
    take(end + (role == Role::code_function && is_macro(end) ? 1 : 0), role);
    after_value_ = role != Role::code_keyword;
    return true;
  }

  bool is_prefix(std::string_view word) const {
    return !language_.prefixes.empty() && word.size() <= 3 &&
           word.find_first_not_of(language_.prefixes) == npos;
  }
  bool is_macro(std::size_t end) const {
    return language_.macros && at(end) == '!' && at(end + 1) != '=';
  }
  bool begins_command(char c) const { return language_.command_marks.find(c) != npos; }

  Role role_of(std::string_view word, std::size_t end, bool first) {
    const bool labelled = at(end) == ':' && at(end + 1) != ':' && at(end + 1) != '=';
    if (language_.labels && first && labelled) return Role::code_function;
    if (language_.keys == Keys::css && is_css_key(end)) {
      in_value_ = true;
      return Role::code_type;
    }
    if (!language_.command_marks.empty()) return command_role(word, end);
    std::optional<Role> known = word_role(language_, word);
    // A member may have the name of a keyword.
    const bool member = before() == '.' && at_ > begin_ + 1 && text_[at_ - 2] != '.';
    if (known && !(member && known == Role::code_keyword)) return *known;
    if (at(end) == '(' || is_macro(end)) return Role::code_function;
    if (language_.capital_types && is_capitalised(word)) return Role::code_type;
    return Role::code_block;
  }

  Role command_role(std::string_view word, std::size_t end) {
    if (!command_) return Role::code_block;
    if (at(end) == '=' && language_.command_marks.find('=') == npos) return Role::code_block;
    command_ = word_role(language_, word) == Role::code_keyword;
    const Role role = command_ ? Role::code_keyword : Role::code_function;
    command_ = command_ && !is_listed(language_.binders, word);
    return role;
  }

  // Checked once for each statement, because it looks ahead to the statement's end.
  bool is_css_key(std::size_t end) {
    if (!std::exchange(statement_, false) || at(skip_blanks(text_, end)) != ':') return false;
    const std::size_t stop = text_.find_first_of(";{}", end);
    return stop == npos || text_[stop] != '{';
  }

  void punctuation() {
    const char c = text_[at_];
    if (!state_.levels.empty() && closes_interpolation(c)) return;
    after_value_ = c == ')' || c == ']' || c == '}';
    command_ = command_ || begins_command(c);
    if (c == ';' || c == '{' || c == '}') {
      statement_ = true;
      in_value_ = false;
    }
    if (c == '\\' && at_ + 1 == text_.size()) state_.continued = true;
    take(at_ + 1, Role::code_block);
  }

  bool closes_interpolation(char c) {
    CodeState::Level& level = state_.levels.back();
    const char opener = level.string->interpolation.back();
    if (c == opener) ++level.n_brackets;
    if (c != (opener == '{' ? '}' : ')') || level.n_brackets-- > 0) return false;
    take(at_ + 1, Role::code_meta);
    state_.open = level.string;
    state_.close.clear();
    state_.depth = 1;
    state_.levels.pop_back();
    return true;
  }

  const Language& language_;
  CodeState& state_;
  std::string_view text_;
  std::size_t begin_;
  std::size_t at_;
  SpanWriter& out_;
  std::string heredoc_;                // its body begins on the next line
  std::optional<std::size_t> indent_;  // indent of the key of a YAML line
  bool first_ = true;                  // only blanks so far
  bool after_value_ = false;           // then / divides and < compares
  bool no_regex_ = false;              // no regex ends on this line
  bool command_ = true;                // a command may stand here
  bool statement_ = true;              // a CSS property may stand here
  bool in_value_ = false;              // inside the value of a CSS property
};

}  // namespace

void scan_code(const Language& language, CodeState& state, std::string_view line, std::size_t begin,
               std::size_t end, SpanWriter& out) {
  Scanner(language, state, line.substr(0, end), begin, out).run();
}

}  // namespace confab::ui
