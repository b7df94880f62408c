// SPDX-License-Identifier: MIT
#include "ui/markdown/markdown_math.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ui/text.h"

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;
// These stand before a formula, before an unfinished one, and after both.
constexpr std::string_view kBegin = "\U000E0081";
constexpr std::string_view kBeginOpen = "\U000E0082";
constexpr std::string_view kEnd = "\U000E0084";
// The characters that replace the 128 ASCII characters begin here, and these are their first bytes.
constexpr char32_t kShields = 0xe0080;
constexpr std::string_view kShield = "\xf3\xa0";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alnum(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_mark(char c) {
  return c > ' ' && c < 0x7f && !is_alnum(c);
}

// The offset at which the text of a line begins, after the marks of quotes and lists, and the
// number of quotes.
struct LinePrefix {
  std::size_t size;
  int n_quotes;
};
LinePrefix read_prefix(std::string_view line) {
  LinePrefix prefix{0, 0};
  for (std::size_t at = 0; at < line.size();) {
    prefix.size = at = std::min(line.find_first_not_of(" \t", at), line.size());
    const std::size_t digits = std::min(line.find_first_not_of("0123456789", at), line.size());
    if (at < line.size() && line[at] == '>') {
      ++prefix.n_quotes;
      prefix.size = ++at;
      continue;
    }
    const std::string_view marks = digits > at ? ".)" : "-+*";
    const bool item =
        digits + 1 < line.size() && marks.find(line[digits]) != npos && is_space(line[digits + 1]);
    if (!item) break;
    prefix.size = at = digits + 1;
  }
  return prefix;
}

// The delimiters of a formula.
struct Opening {
  std::string_view begin, end;
  bool display;
};
constexpr Opening kDollar{"$", "$", false};
constexpr Opening kDollars{"$$", "$$", true};
constexpr Opening kParen{"\\(", "\\)", false};
constexpr Opening kBracket{"\\[", "\\]", true};

class Shield {
 public:
  Shield(std::string_view text, bool open_ended) : text_(text), open_ended_(open_ended) {}

  ShieldedMarkdown run() {
    while (at_ < text_.size()) {
      begin_line();
      while (at_ < line_end_) step();
      copy(std::min(line_end_ + 1, text_.size()));
      ++line_;
    }
    return std::move(out_);
  }

 private:
  void begin_line() {
    line_end_ = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, line_end_ - at_);
    const LinePrefix prefix = read_prefix(line);
    n_quotes_ = prefix.n_quotes;
    const std::string_view rest = line.substr(prefix.size);
    copy(is_fence(rest) ? line_end_ : at_ + prefix.size);
    may_go_on_ = rest.empty() || std::string_view("#<|").find(rest[0]) == npos;
    last_ticks_.clear();
    no_paren_before_ = 0;
  }

  static bool is_fence(std::string_view rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return rest.starts_with("```") || rest.starts_with("~~~");
  }

  void copy(std::size_t end) {
    out_.text += text_.substr(at_, end - at_);
    at_ = end;
  }

  void step() {
    std::size_t mark = at_;
    while (mark < line_end_ && text_[mark] != '\\' && text_[mark] != '`' && text_[mark] != '$')
      ++mark;
    copy(mark);
    if (at_ == line_end_) return;
    const std::string_view rest = text_.substr(at_);
    if (rest[0] == '`') return skip_code();
    for (const Opening& opening : {kDollars, kDollar, kParen, kBracket})
      if (rest.starts_with(opening.begin)) return take(opening);
    copy(std::min(at_ + 2, line_end_));  // an escape
  }

  // Skips the code that begins here, or the backticks if they do not begin code.
  void skip_code() {
    if (last_ticks_.empty()) find_ticks();
    const std::size_t length = ticks_at(at_);
    const std::size_t last = last_ticks_[length];
    std::size_t end = at_ + length;
    if (last > at_) {
      std::size_t close = text_.find('`', end);
      while (ticks_at(close) != length) close = text_.find('`', close + ticks_at(close));
      end = close + length;
    }
    copy(end);
  }

  std::size_t ticks_at(std::size_t at) const {
    return std::min(text_.find_first_not_of('`', at), text_.size()) - at;
  }

  // Records the last run of each length on the line.
  void find_ticks() {
    for (std::size_t at = at_; (at = text_.find('`', at)) < line_end_; at += ticks_at(at))
      last_ticks_[ticks_at(at)] = at;
  }

  void take(const Opening& opening) {
    const std::size_t body = at_ + opening.begin.size();
    std::optional<std::size_t> end;
    if (opening.begin == "$")
      end = dollar_end(body);
    else if (opening.display)
      end = display_end(opening, body);
    else
      end = paren_end(body);
    if (end && has_content(body, *end - opening.end.size())) return shield(*end, kBegin);
    if (!end && open_ended_ && is_open(opening, body)) return shield(text_.size(), kBeginOpen);
    copy(body);
  }

  // Text that consists only of marks is not a formula.
  bool has_content(std::size_t begin, std::size_t end) const {
    const std::string_view body = text_.substr(begin, end - begin);
    return std::ranges::any_of(
        body, [](char c) { return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80; });
  }

  // The next dollar or backtick on the line that is not escaped.
  std::size_t next_dollar(std::size_t at) const {
    while ((at = text_.find_first_of("\\$`", at)) < line_end_) {
      if (text_[at] != '\\') return at;
      at += 2;
    }
    return npos;
  }

  std::size_t next_tick(std::size_t at) {
    if (next_tick_ < at) next_tick_ = std::min(text_.find('`', at), text_.size());
    return next_tick_;
  }

  std::optional<std::size_t> dollar_end(std::size_t body) const {
    if (body >= line_end_ || is_space(text_[body])) return std::nullopt;
    if (at_ > 0 && is_alnum(text_[at_ - 1])) return std::nullopt;
    const std::size_t end = next_dollar(body);
    if (end == npos || text_[end] == '`' || is_space(text_[end - 1])) return std::nullopt;
    if (end + 1 < text_.size() && is_digit(text_[end + 1])) return std::nullopt;
    const std::string_view tex = text_.substr(body, end - body);
    const bool prose =
        is_digit(tex[0]) && tex.find(' ') != npos && tex.find_first_of("\\^_={}<>+*/") == npos;
    return prose ? std::nullopt : std::optional(end + 1);
  }

  std::optional<std::size_t> paren_end(std::size_t body) {
    if (body < no_paren_before_) return std::nullopt;
    const std::size_t limit = std::min(line_end_, next_tick(body));
    const std::optional<std::size_t> end = find_end(kParen, body, limit);
    if (!end) no_paren_before_ = limit;
    return end;
  }

  // The end of a formula that may take several lines.
  std::optional<std::size_t> display_end(const Opening& opening, std::size_t body) {
    std::size_t& none_before = opening.begin == "$$" ? no_dollars_before_ : no_bracket_before_;
    const std::size_t reach = may_go_on_ ? paragraph_end() : line_end_;
    const std::size_t limit = std::min(reach, next_tick(body));
    if (body < none_before && limit <= none_before) return std::nullopt;
    const std::optional<std::size_t> end = find_end(opening, body, limit);
    if (!end) none_before = limit;
    return end;
  }

  std::optional<std::size_t> find_end(const Opening& opening, std::size_t at,
                                      std::size_t limit) const {
    for (; at < limit; ++at) {
      if (text_.substr(at).starts_with(opening.end)) return at + 2;
      if (text_[at] == '\\') ++at;
    }
    return std::nullopt;
  }

  // The end of the text that a formula beginning on this line can reach: an empty line or a fence.
  std::size_t paragraph_end() {
    if (paragraph_end_ > at_) return paragraph_end_;
    std::size_t at = line_end_;
    while (at < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at + 1), text_.size());
      const std::string_view line = text_.substr(at + 1, end - at - 1);
      const bool whole = end < text_.size();
      if (whole && line.find_first_not_of(" \t>") == npos) break;
      if (is_fence(line.substr(read_prefix(line).size))) break;
      at = end;
    }
    return paragraph_end_ = at;
  }

  // Whether the text from here on may still become a formula.
  bool is_open(const Opening& opening, std::size_t body) {
    if (next_tick(body) < text_.size()) return false;
    if (opening.display && may_go_on_) return paragraph_end() == text_.size();
    if (line_end_ < text_.size()) return false;
    if (opening.begin != "$") return true;
    if (body == text_.size() || (at_ > 0 && is_alnum(text_[at_ - 1]))) return false;
    const std::string_view tex = text_.substr(body);
    if (is_space(tex[0]) || is_digit(tex[0]) || tex.find('$') != npos) return false;
    // A word and more text is more likely the name of a shell variable.
    return tex.find(' ') <= 2 || tex.find(' ') == npos || tex.find_first_of("\\^_={([+<>") != npos;
  }

  // Writes a formula line by line. The marks of quotes around it stay unchanged.
  void shield(std::size_t end, std::string_view begin) {
    out_.text += begin;
    const std::size_t first = line_;
    while (at_ < end) {
      const char c = text_[at_];
      if (is_mark(c))
        out_.text += shielded_mark(c);
      else
        out_.text += c;
      ++at_;
      if (c == '\n') begin_continuation();
    }
    out_.text += kEnd;
    if (line_ > first) out_.inside.emplace_back(first + 1, line_ + 1);
  }

  void begin_continuation() {
    ++line_;
    line_end_ = std::min(text_.find('\n', at_), text_.size());
    last_ticks_.clear();
    no_paren_before_ = 0;
    for (int n = n_quotes_; n > 0; --n) {
      const std::size_t mark = text_.find_first_not_of(" \t", at_);
      if (mark >= line_end_ || text_[mark] != '>') return;
      copy(mark + 1);
    }
  }

  std::string_view text_;
  bool open_ended_;
  ShieldedMarkdown out_;
  std::size_t at_ = 0;
  std::size_t line_ = 0, line_end_ = 0;
  int n_quotes_ = 0;
  bool may_go_on_ = true;  // a formula may continue on the next line
  std::unordered_map<std::size_t, std::size_t> last_ticks_;
  // There is no end of such a formula between at_ and these places.
  std::size_t no_paren_before_ = 0, no_bracket_before_ = 0, no_dollars_before_ = 0;
  std::size_t paragraph_end_ = 0;
  std::size_t next_tick_ = 0;
};

// The shielded mark at the beginning of a text; 0 if there is none.
char mark_at(std::string_view text) {
  if (!text.starts_with(kShield)) return 0;
  const char32_t code = from_utf8(text) - kShields;
  return code < 0x80 && is_mark(static_cast<char>(code)) ? static_cast<char>(code) : '\0';
}

// Whether a shield was added and stands for nothing in the source.
bool is_added(std::string_view shield) {
  return shield == kBegin || shield == kBeginOpen || shield == kEnd || shield == kJoint;
}

}  // namespace

bool ShieldedMarkdown::is_inside(std::size_t line) const noexcept {
  const auto after =
      std::ranges::upper_bound(inside, line, {}, [](const auto& r) { return r.first; });
  return after != inside.begin() && line < std::prev(after)->second;
}

ShieldedMarkdown shield_math(std::string_view sanitized, bool open_ended) {
  if (sanitized.find('$') == npos && sanitized.find('\\') == npos)
    return {std::string(sanitized), {}};
  return Shield(sanitized, open_ended).run();
}

std::string shielded_mark(char mark) {
  return to_utf8(kShields + static_cast<unsigned char>(mark));
}

std::string reveal(std::string_view shielded) {
  std::string out;
  for (;;) {
    const std::size_t shield = std::min(shielded.find(kShield), shielded.size());
    out += shielded.substr(0, shield);
    shielded.remove_prefix(shield);
    if (shielded.empty()) return out;
    const std::string_view whole = shielded.substr(0, 4);
    if (const char c = mark_at(whole)) {
      out += c;
    } else if (!is_added(whole)) {
      out += whole.substr(0, 1);
      shielded.remove_prefix(1);
      continue;
    }
    shielded.remove_prefix(4);
  }
}

std::string reveal_target(std::string_view shielded) {
  const std::string text = reveal(shielded);
  if (text == shielded) return text;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && is_mark(text[i + 1])) ++i;
    out += text[i];
  }
  return out;
}

std::size_t find_formula(std::string_view shielded) {
  for (std::size_t at = 0; (at = shielded.find(kShield, at)) != npos; ++at) {
    const std::string_view shield = shielded.substr(at, 4);
    if (shield == kBegin || shield == kBeginOpen) return at;
  }
  return shielded.size();
}

std::size_t formula_end(std::string_view shielded, std::size_t from) {
  const std::size_t end = shielded.find(kEnd, from);
  return end == npos ? npos : end + kEnd.size();
}

Formula read_formula(std::string_view shielded) {
  std::string tex = reveal(shielded);
  const bool open = shielded.starts_with(kBeginOpen);
  for (const Opening& opening : {kDollars, kDollar, kParen, kBracket}) {
    if (!tex.starts_with(opening.begin)) continue;
    tex.erase(0, opening.begin.size());
    if (!open)
      tex.resize(tex.size() - std::min(tex.size(), opening.end.size()));
    else if (opening.end.size() > 1 && tex.ends_with(opening.end[0]))
      tex.pop_back();  // this may be the beginning of the end delimiter
    return {std::move(tex), opening.display, open};
  }
  return {std::move(tex), false, true};
}

std::vector<std::string> source_rows(std::string_view tex) {
  std::vector<std::string> rows;
  while (!tex.empty()) {
    const std::size_t end = std::min(tex.find('\n'), tex.size());
    if (tex.substr(0, end).find_first_not_of(" \t") != npos) rows.emplace_back(tex.substr(0, end));
    tex.remove_prefix(std::min(end + 1, tex.size()));
  }
  return rows;
}

}  // namespace confab::ui
