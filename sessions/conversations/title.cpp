// SPDX-License-Identifier: MIT
#include "sessions/conversations/title.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <vector>

#include "sessions/conversations/utf8.h"

namespace confab::sessions {
namespace {

constexpr std::size_t kWordSearch = 20;  // how far back from the end a word boundary is looked for

// Whole questions that tell nothing of what follows, without punctuation, A-Z in small letters.
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

// Blanks and what moves the cursor: C0, DEL and C1.
bool is_blank(char32_t c) {
  return c <= 0x20 || (c >= 0x7F && c <= 0xA0);
}

// The first line that is not blank, trimmed; no more of it than a title needs to know.
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

// Small letters and digits in words with one space between. Beyond ASCII nothing is changed, but
// for the punctuation of Chinese and Japanese, which is left out.
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

// The line without Markdown's marks at its start, and without emphasis and code.
std::string without_marks(std::string_view line) {
  const std::size_t begin = line.find_first_not_of("#>-*+ \t");
  if (begin == std::string_view::npos) return {};
  std::string plain;
  for (const char c : line.substr(begin)) {
    if (c != '*' && c != '`') plain += c;
  }
  while (!plain.empty() && (plain.back() == ' ' || plain.back() == '#' || plain.back() == ':'))
    plain.pop_back();
  return plain;
}

// Up to the first full stop, question or exclamation mark that a blank or the end follows.
std::string_view first_sentence(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("。")) return text.substr(0, i);
    const bool ends = text[i] == '.' || text[i] == '?' || text[i] == '!';
    if (ends && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\n'))
      return text.substr(0, i + (text[i] == '?' ? 1 : 0));
  }
  return text;
}

// Calls f for each line outside of fenced code until it returns true.
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

bool says_too_little(std::string_view text) {
  constexpr std::size_t kLongest = 64;  // bytes; small talk is short
  if (text.size() > kLongest) return title_from(text).empty();
  const std::string words = plain_words(text);
  return words.empty() || std::ranges::find(kSmallTalk, words) != std::end(kSmallTalk);
}

std::string title_from_question(std::string_view question, std::span<const Attachment> files) {
  const bool has_file = !files.empty() && files.front().name != "-";
  return title_from(has_file && says_too_little(question) ? files.front().name : question);
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
