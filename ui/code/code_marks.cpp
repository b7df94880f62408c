// SPDX-License-Identifier: MIT
#include "ui/code/code_marks.h"
#include "ui/text.h"

#include <algorithm>

namespace confab::ui {
namespace {

constexpr std::size_t npos = std::string_view::npos;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::optional<Opened> open_hashes(const Enclosed& rule, std::string_view text) {
  const std::size_t begin = rule.open.size();
  const std::size_t n = run_length(text, begin, '#');
  if (begin + n >= text.size() || text[begin + n] != '"') return std::nullopt;
  return Opened{begin + n + 1, std::string(rule.close) + std::string(n, '#')};
}

std::optional<Opened> open_raw_cpp(const Enclosed& rule, std::string_view text) {
  const std::string_view rest = text.substr(rule.open.size(), kMaxMarkBytes);
  const std::size_t n = rest.find_first_of("( )\\\"");
  if (n == npos || rest[n] != '(') return std::nullopt;
  const std::string delimiter(rest.substr(0, n));
  return Opened{rule.open.size() + n + 1, ")" + delimiter + std::string(rule.close)};
}

std::optional<Opened> open_long_bracket(const Enclosed& rule, std::string_view text) {
  const std::size_t begin = rule.open.size();
  if (begin >= text.size() || text[begin] != '[') return std::nullopt;
  const std::size_t n = run_length(text, begin + 1, '=');
  const std::size_t last = begin + 1 + n;
  if (last >= text.size() || text[last] != '[') return std::nullopt;
  return Opened{last + 1, "]" + std::string(n, '=') + "]"};
}

std::optional<Opened> open_tagged(const Enclosed& rule, std::string_view text) {
  std::size_t end = rule.open.size();
  while (end < text.size() && end < kMaxMarkBytes && is_name_char(text[end])) ++end;
  if (!text.substr(end).starts_with(rule.open)) return std::nullopt;
  end += rule.open.size();
  return Opened{end, std::string(text.substr(0, end))};
}

}  // namespace

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t';
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_name_char(char c) noexcept {
  return is_letter(c) || is_digit(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_capitalised(std::string_view word) noexcept {
  return word.size() > 1 && word[0] >= 'A' && word[0] <= 'Z' &&
         std::ranges::any_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

std::size_t skip_blanks(std::string_view text, std::size_t from) noexcept {
  while (from < text.size() && is_blank(text[from])) ++from;
  return std::min(from, text.size());
}

bool is_listed(std::string_view list, std::string_view word) noexcept {
  for (std::size_t at = list.find(word); at != npos && !word.empty();
       at = list.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

bool begins_with_one_of(std::string_view text, std::string_view list) noexcept {
  while (!list.empty()) {
    const std::string_view mark = list.substr(0, list.find(' '));
    if (text.starts_with(mark)) return true;
    list.remove_prefix(std::min(mark.size() + 1, list.size()));
  }
  return false;
}

std::optional<Opened> open_mark(const Enclosed& rule, std::string_view text) {
  switch (rule.marks) {
    case Enclosed::Marks::hashes:
      return open_hashes(rule, text);
    case Enclosed::Marks::raw_cpp:
      return open_raw_cpp(rule, text);
    case Enclosed::Marks::long_bracket:
      return open_long_bracket(rule, text);
    case Enclosed::Marks::tagged:
      return open_tagged(rule, text);
    case Enclosed::Marks::fixed:
      break;
  }
  return Opened{rule.open.size(), {}};
}

std::optional<Opened> open_heredoc(std::string_view mark, std::string_view text) {
  const auto at = [text](std::size_t index) { return index < text.size() ? text[index] : '\0'; };
  std::size_t word = mark.size();
  if (at(word) == '-' || at(word) == '~') ++word;
  const char quote = at(word) == '\'' || at(word) == '"' ? at(word++) : '\0';
  std::size_t end = word;
  while (is_name_char(at(end))) ++end;
  if (end == word || end - word > kMaxMarkBytes || is_digit(at(word))) return std::nullopt;
  if (quote != '\0' && at(end) != quote) return std::nullopt;
  return Opened{end + (quote != '\0' ? 1 : 0), std::string(text.substr(word, end - word))};
}

std::size_t run_length(std::string_view text, std::size_t from, char c) noexcept {
  std::size_t n = 0;
  while (n < kMaxMarkBytes && from + n < text.size() && text[from + n] == c) ++n;
  return n;
}

std::size_t number_end(std::string_view text, std::size_t from) noexcept {
  const bool hex = text.substr(from).starts_with("0x") || text.substr(from).starts_with("0X");
  const auto at = [text](std::size_t index) { return index < text.size() ? text[index] : '\0'; };
  std::size_t end = from;
  for (;;) {
    const char c = at(end);
    const bool digit_follows = is_digit(at(end + 1));
    const char before = end > from ? at(end - 1) : '\0';
    const bool exponent = hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
    const bool part = is_letter(c) || is_digit(c) || c == '_' ||
                      ((c == '.' || c == '\'') && digit_follows) ||
                      ((c == '+' || c == '-') && exponent && digit_follows);
    if (!part) return end;
    ++end;
  }
}

std::size_t regex_end(std::string_view text, std::size_t from) noexcept {
  bool in_class = false;
  for (std::size_t at = from + 1; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\') {
      ++at;
    } else if (c == '[' || c == ']') {
      in_class = c == '[';
    } else if (c == '/' && !in_class) {
      return at + 1;
    }
  }
  return npos;
}

std::size_t assigned_name_end(std::string_view text, std::size_t from) noexcept {
  const std::size_t mark = text.find_first_of("=\"'#;,()[]{}", from);
  if (mark == npos || text[mark] != '=' || text.substr(mark + 1).starts_with('=')) return npos;
  const std::size_t last = text.substr(0, mark).find_last_not_of(" \t:+?!");
  return last == npos || last < from ? npos : last + 1;
}

std::size_t yaml_key_end(std::string_view text, std::size_t from) noexcept {
  constexpr std::string_view kStops = ":\"'{}[]#,";
  for (std::size_t at = text.find_first_of(kStops, from); at != npos;
       at = text.find_first_of(kStops, at + 1)) {
    if (text[at] != ':') return npos;
    if (at + 1 == text.size() || is_blank(text[at + 1])) return at > from ? at : npos;
  }
  return npos;
}

std::size_t character_length(std::string_view text) noexcept {
  constexpr std::size_t kMaxEscapeBytes = 12;
  std::size_t end = 2;
  if (text.size() < 3 || text[1] == '\'') return 0;
  if (text[1] == '\\') {
    const std::size_t close = text.substr(0, kMaxEscapeBytes).find('\'', 3);
    return close == npos ? 0 : close + 1;
  }
  while (end < text.size() && goes_on(text[end])) ++end;
  return end < text.size() && end <= 5 && text[end] == '\'' ? end + 1 : 0;
}

}  // namespace confab::ui
