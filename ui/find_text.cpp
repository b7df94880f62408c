// SPDX-License-Identifier: MIT
#include "ui/find_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <string>

#include "ui/text.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

struct Letter {
  utf8proc_int32_t code_point;
  std::size_t line;
  std::size_t begin, end;  // byte offsets in the line
};

bool is_space(utf8proc_int32_t c) {
  return c == ' ' || c == '\t' || c == '\n';
}

void append_letters(std::vector<Letter>& letters, std::string_view text, std::size_t line) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character next = next_character(text.substr(at));
    letters.push_back(
        {static_cast<utf8proc_int32_t>(next.code_point), line, at, at + next.n_bytes});
    at += next.n_bytes;
  }
}

// Returns the letters of the words. White space between them becomes one space, and none is kept
// around them.
std::vector<utf8proc_int32_t> needle(std::string_view words) {
  std::vector<Letter> letters;
  append_letters(letters, words, 0);
  std::vector<utf8proc_int32_t> out;
  for (const Letter& letter : letters) {
    if (!is_space(letter.code_point))
      out.push_back(letter.code_point);
    else if (!out.empty() && out.back() != ' ')
      out.push_back(' ');
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

class Finder {
 public:
  Finder(std::vector<Letter> text, std::vector<utf8proc_int32_t> words)
      : text_(std::move(text)), words_(std::move(words)) {
    fold_ = std::ranges::none_of(words_, [](auto c) { return utf8proc_tolower(c) != c; });
  }

  std::vector<TextMatch> run() const {
    std::vector<TextMatch> matches;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = match_at(at);
      if (end > at) matches.push_back(ranges(at, end));
      at = std::max(end, at + 1);
    }
    return matches;
  }

 private:
  // Returns the end of the match that begins at `at`, or `at` if there is none.
  std::size_t match_at(std::size_t at) const {
    std::size_t i = at;
    for (const utf8proc_int32_t wanted : words_) {
      if (i == text_.size() || !equal(text_[i].code_point, wanted)) return at;
      ++i;
      while (wanted == ' ' && i < text_.size() && is_space(text_[i].code_point)) ++i;
    }
    return i;
  }

  bool equal(utf8proc_int32_t text, utf8proc_int32_t wanted) const {
    if (wanted == ' ') return is_space(text);
    return text == wanted || (fold_ && utf8proc_tolower(text) == wanted);
  }

  TextMatch ranges(std::size_t begin, std::size_t end) const {
    TextMatch match;
    for (std::size_t i = begin; i < end; ++i) {
      const Letter& letter = text_[i];
      if (letter.begin == letter.end) continue;  // a line break
      if (match.empty() || match.back().line != letter.line)
        match.push_back({letter.line, letter.begin, letter.end});
      match.back().end = letter.end;
    }
    return match;
  }

  std::vector<Letter> text_;
  std::vector<utf8proc_int32_t> words_;
  bool fold_ = false;
};

}  // namespace

std::vector<TextMatch> find_text(std::span<const Line> lines, std::string_view words) {
  std::vector<utf8proc_int32_t> wanted = needle(words);
  if (wanted.empty()) return {};
  std::vector<Letter> text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line = to_text(lines[i]);
    append_letters(text, line, i);
    text.push_back({'\n', i, line.size(), line.size()});
  }
  return Finder(std::move(text), std::move(wanted)).run();
}

Line with_role(const Line& line, std::size_t begin, std::size_t end, Role role) {
  Line out;
  std::size_t at = 0;
  for (const Span& span : line.spans) {
    const auto cut = [&](std::size_t from, std::size_t to, bool inside) {
      from = std::clamp(from, at, at + span.text.size());
      to = std::clamp(to, at, at + span.text.size());
      if (from == to) return;
      Span part{span.text.substr(from - at, to - from), span.style, span.link, span.part};
      if (inside) part.style.role = role;
      out.spans.push_back(std::move(part));
    };
    cut(at, begin, false);
    cut(begin, end, true);
    cut(end, at + span.text.size(), false);
    at += span.text.size();
  }
  return out;
}

}  // namespace confab::ui
