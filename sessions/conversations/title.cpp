// SPDX-License-Identifier: MIT
#include "sessions/conversations/title.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "sessions/conversations/utf8.h"

namespace confab::sessions {
namespace {

constexpr std::size_t kWordSearch = 20;  // how far back from the end to look for a word boundary

// Whole questions that say nothing about what follows, without punctuation, A-Z in lower case.
constexpr std::string_view kSmallTalk[] = {
    "hi",           "hello",        "hey",          "hi there",     "hello there", "hey there",
    "good morning", "good day",     "good evening", "thanks",       "thank you",   "ok",
    "okay",         "yes",          "no",           "test",         "testing",     "ping",
    "help",         "hallo",        "guten tag",    "guten morgen", "moin",        "servus",
    "danke",        "bonjour",      "salut",        "coucou",       "merci",       "hola",
    "buenos días",  "gracias",      "olá",          "oi",           "obrigado",    "ciao",
    "buongiorno",   "grazie",       "hej",          "hei",          "cześć",       "привет",
    "Привет",       "здравствуйте", "Здравствуйте", "merhaba",      "你好",        "您好",
    "こんにちは",   "안녕",         "안녕하세요",
};

// Blanks and characters that move the cursor: C0, DEL and C1.
bool is_blank(char32_t c) {
  return c <= 0x20 || (c >= 0x7F && c <= 0xA0);
}

// Whether a character shows nothing. Joiners are included here but not in is_blank(), because they
// are parts of words and emoji.
bool is_invisible(char32_t c) {
  const auto is_in = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  return is_blank(c) || c == 0xAD || c == 0x34F || is_in(0x115F, 0x1160) || c == 0x1680 ||
         is_in(0x180B, 0x180F) || is_in(0x2000, 0x200F) || is_in(0x2028, 0x202F) ||
         is_in(0x205F, 0x206F) || c == 0x2800 || c == 0x3000 || c == 0x3164 ||
         is_in(0xFE00, 0xFE0F) || c == 0xFEFF || c == 0xFFA0 || is_in(0xE0000, 0xE0FFF);
}

// The first line that is not blank, trimmed, and no more of it than a title needs.
std::vector<char32_t> first_line(std::string_view text) {
  std::vector<char32_t> line;
  bool gap = false;
  while (!text.empty() && line.size() <= kTitleLength) {
    const CodePoint next = first_code_point(text);
    text.remove_prefix(next.n_bytes);
    if (next.value == '\n' && !line.empty()) break;
    if (is_blank(next.value)) {
      gap = !line.empty();
      continue;
    }
    if (gap) line.push_back(' ');
    gap = false;
    line.push_back(next.value);
  }
  return line;
}

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || byte >= 0x80;
}

// Lower-case words and digits with one space between them. Changes nothing beyond ASCII, except
// that it drops the punctuation of Chinese and Japanese.
std::string plain_words(std::string_view text) {
  std::string words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const bool is_mark = rest.starts_with("。") || rest.starts_with("！") || rest.starts_with("？");
    if (is_mark) {
      i += 2;
    } else if (is_word_byte(text[i])) {
      words += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    } else if (!words.empty() && words.back() != ' ' && text[i] != '\'') {
      words += ' ';
    }
  }
  if (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

constexpr std::string_view kBlanks = " \t\r";

bool is_blank_byte(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}

// The size of the marks at the start of a line that begin a heading, a quotation or a list, with
// their blanks.
std::size_t size_of_block_marks(std::string_view line) {
  std::size_t at = 0;
  for (;;) {
    at = std::min(line.find_first_not_of(kBlanks, at), line.size());
    const std::size_t end = std::min(line.find_first_not_of('#', at), line.size());
    const std::size_t n = end > at ? end - at : line.find_first_of(">-*+", at) == at ? 1 : 0;
    const bool marks =
        n > 0 && (line[at] == '>' || at + n == line.size() || is_blank_byte(line[at + n]));
    if (!marks) return at;
    at += n;
  }
}

// The text of a link "[text](address)" at the start of `text`, and the size of the whole link; 0 if
// there is no link.
std::pair<std::string_view, std::size_t> link_text(std::string_view text) {
  const std::size_t middle = text.starts_with('[') ? text.find("](") : std::string_view::npos;
  const std::size_t end = middle == std::string_view::npos ? middle : text.find(')', middle + 2);
  if (end == std::string_view::npos) return {};
  return {text.substr(1, middle - 1), end + 1};
}

// Whether the stars from `at` to `end` are signs ("2*3", "a * b"). Emphasis has a blank on one side
// only.
bool are_signs(std::string_view line, std::size_t at, std::size_t end) {
  const bool word_before = at > 0 && is_word_byte(line[at - 1]);
  const bool word_behind = end < line.size() && is_word_byte(line[end]);
  const bool blank_before = at == 0 || is_blank_byte(line[at - 1]);
  const bool blank_behind = end == line.size() || is_blank_byte(line[end]);
  return (word_before && word_behind) || (blank_before && blank_behind);
}

// The line without Markdown's marks: those at its start, emphasis, code, and the addresses of
// links.
std::string without_marks(std::string_view line) {
  constexpr std::size_t kEnough = 4096;  // bytes; enough for a title
  line = line.substr(size_of_block_marks(line));
  line = line.substr(0, kEnough);
  std::string plain;
  for (std::size_t i = 0; i < line.size();) {
    const std::string_view rest = line.substr(i);
    const auto [text, n_link] = link_text(rest);
    const std::size_t n_stars = std::min(rest.find_first_not_of('*'), rest.size());
    if (n_link > 0)
      plain += text;
    else if (n_stars > 0 && are_signs(line, i, i + n_stars))
      plain += rest.substr(0, n_stars);
    else if (n_stars == 0 && rest[0] != '`' &&
             !(rest[0] == '!' && link_text(rest.substr(1)).second > 0))
      plain += rest[0];
    i += std::max({n_link, n_stars, std::size_t{1}});
  }
  const auto is_end = [&plain](char c) {
    return c == ':' || is_blank_byte(c) || (c == '#' && plain.find(" #") != std::string::npos);
  };
  while (!plain.empty() && is_end(plain.back())) plain.pop_back();
  return plain;
}

// The text up to the first full stop, question mark or exclamation mark that is followed by a blank
// or the end.
std::string_view first_sentence(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("。")) return text.substr(0, i);
    const bool ends = text[i] == '.' || text[i] == '?' || text[i] == '!';
    if (ends && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n'))
      return text.substr(0, i + (text[i] == '?' ? 1 : 0));
  }
  return text;
}

// Calls f for each line outside fenced code until f returns true.
template <class F>
void for_prose_lines(std::string_view text, F f) {
  bool fenced = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("```") || line.starts_with("~~~"))
      fenced = !fenced;
    else if (!fenced && f(line))
      return;
  }
}

}  // namespace

std::string title_from(std::string_view text) {
  std::vector<char32_t> line = first_line(text);
  if (line.size() > kTitleLength) {
    std::size_t end = kTitleLength - 1;
    for (std::size_t i = end; i + kWordSearch > kTitleLength; --i) {
      if (line[i] == ' ') {
        end = i;
        break;
      }
    }
    line.erase(line.begin() + static_cast<std::ptrdiff_t>(end), line.end());
    line.push_back(U'…');
  }
  std::string title;
  for (const char32_t c : line) append_utf8(title, c);
  return title;
}

bool is_blank_title(std::string_view text) {
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    if (!is_invisible(next.value)) return false;
    text.remove_prefix(next.n_bytes);
  }
  return true;
}

bool says_too_little(std::string_view text) {
  constexpr std::size_t kLongest = 64;  // bytes; small talk is short
  if (text.size() > kLongest) return title_from(text).empty();
  const std::string words = plain_words(text);
  return words.empty() || std::ranges::find(kSmallTalk, words) != std::end(kSmallTalk);
}

std::string title_from_question(std::string_view question, std::span<const Attachment> files) {
  const bool has_file = !files.empty() && files.front().name != "-";
  if (has_file && says_too_little(question)) return title_from(files.front().name);
  std::string plain;
  for_prose_lines(question, [&plain](std::string_view line) {
    plain = title_from(without_marks(line));
    return !plain.empty();
  });
  if (!plain.empty()) return plain;
  const bool fenced = question.starts_with("```") || question.starts_with("~~~");
  return title_from(fenced ? question.substr(std::min(question.find('\n'), question.size()))
                           : question);
}

std::string title_from_answer(std::string_view answer) {
  std::string heading, sentence;
  for_prose_lines(answer, [&](std::string_view line) {
    const bool is_heading = line.starts_with('#') && line.find_first_not_of('#') < 7;
    std::string plain = without_marks(line);
    if (is_heading && !says_too_little(plain)) heading = std::move(plain);
    for (std::string_view rest = plain; sentence.empty() && !rest.empty();) {
      const std::string_view first = first_sentence(rest);
      if (!says_too_little(first)) sentence = first;
      rest.remove_prefix(std::min(std::max<std::size_t>(first.size() + 1, 1), rest.size()));
    }
    return !heading.empty();
  });
  return title_from(heading.empty() ? sentence : heading);
}

}  // namespace confab::sessions
