// SPDX-License-Identifier: MIT
// Source of the rules: the documentation and behaviour of Python's textwrap.TextWrapper, with
// expand_tabs and replace_whitespace off. It breaks at ASCII white space only.
#include "engine/prompt/jinja/builtins/wrap.h"

#include <algorithm>
#include <deque>
#include <string_view>

#include "engine/prompt/jinja/unicode.h"

namespace confab::engine::jinja {
namespace {

struct Chunk {
  std::size_t begin;  // bytes
  std::size_t end;
  std::size_t n_chars;
  bool is_space;
};

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// The characters of a line, addressable one by one.
class Line {
 public:
  Line(Runtime& runtime, std::string_view s) : runtime_(runtime), s_(s) {
    runtime.work(s.size() * (sizeof(std::size_t) + sizeof(Chunk)));
    for (std::size_t pos = 0; pos < s.size(); pos = char_end(s, pos)) places_.push_back(pos);
    places_.push_back(s.size());
  }
  std::size_t n_chars() const { return places_.size() - 1; }
  std::size_t offset(std::size_t i) const { return places_[i]; }
  bool blank(std::size_t i) const { return i < n_chars() && is_blank(s_[places_[i]]); }
  bool hyphen(std::size_t i) const { return i < n_chars() && s_[places_[i]] == '-'; }
  bool letter(std::size_t i) const { return word(i) && !in_class(i, CharClass::decimal); }
  bool word(std::size_t i) const {
    return i < n_chars() && (s_[places_[i]] == '_' || in_class(i, CharClass::alnum));
  }
  bool word_or_punctuation(std::size_t i) const {
    return word(i) || (i < n_chars() && std::string_view("!\"'&.,?").find(s_[places_[i]]) < 7);
  }

 private:
  bool in_class(std::size_t i, CharClass char_class) const {
    return is_of_class(runtime_, s_.substr(places_[i], places_[i + 1] - places_[i]), char_class);
  }

  Runtime& runtime_;
  std::string_view s_;
  std::vector<std::size_t> places_;
};

std::size_t hyphens_end(const Line& line, std::size_t i) {
  while (line.hyphen(i)) ++i;
  return i;
}

// A dash of two hyphens or more between words, at i.
bool is_dash(const Line& line, std::size_t i) {
  // The end last: of a run of hyphens it is looked for once, or this would not be linear.
  if (i == 0 || !line.hyphen(i) || !line.word_or_punctuation(i - 1)) return false;
  const std::size_t end = hyphens_end(line, i);
  return end >= i + 2 && line.word(end);
}

// Whether a hyphen stands at i - 1 after which a word may be broken.
bool breaks_after_hyphen(const Line& line, std::size_t i) {
  if (i < 3 || !line.hyphen(i - 1)) return false;
  const bool after_letters = line.letter(i - 2) && line.letter(i - 3);
  const bool after_hyphen =
      i >= 4 && line.letter(i - 4) && line.hyphen(i - 3) && line.word_or_punctuation(i - 2);
  const std::size_t next = line.hyphen(i + 1) ? i + 2 : i + 1;
  return (after_letters || after_hyphen) && line.letter(i) && line.letter(next);
}

// The end of the word that begins at i.
std::size_t word_end(const Line& line, std::size_t i, bool hyphens) {
  const std::size_t begin = i;
  for (++i; i < line.n_chars() && !line.blank(i); ++i) {
    if (!hyphens) continue;
    if (is_dash(line, i)) return i;
    if (i - begin >= 2 && breaks_after_hyphen(line, i)) return i;
  }
  return i;
}

std::deque<Chunk> chunks_of(const Line& line, bool hyphens) {
  std::deque<Chunk> chunks;
  for (std::size_t i = 0; i < line.n_chars();) {
    std::size_t end = i;
    const bool space = line.blank(i);
    if (space) {
      while (line.blank(end)) ++end;
    } else if (hyphens && is_dash(line, i)) {
      end = hyphens_end(line, i);
    } else {
      end = word_end(line, i, hyphens);
    }
    chunks.push_back({line.offset(i), line.offset(end), end - i, space});
    i = end;
  }
  return chunks;
}

// Takes the first `n_chars` of a chunk that is longer.
Chunk split_off(std::string_view s, Chunk& chunk, std::size_t n_chars) {
  const std::size_t cut =
      chunk.begin + char_offset(s.substr(chunk.begin, chunk.end - chunk.begin), n_chars);
  const Chunk first{chunk.begin, cut, n_chars, chunk.is_space};
  chunk.begin = cut;
  chunk.n_chars -= n_chars;
  return first;
}

// Where a chunk too long for a line is cut: after its last hyphen that fits, else at `space`.
std::size_t long_word_cut(std::string_view s, const Chunk& chunk, std::size_t space, bool hyphens) {
  const std::string_view word = s.substr(chunk.begin, chunk.end - chunk.begin);
  const std::string_view fits = word.substr(0, char_offset(word, space));
  const std::size_t hyphen = fits.rfind('-');
  const bool usable = hyphens && chunk.n_chars > space && hyphen != std::string_view::npos &&
                      hyphen > 0 && fits.substr(0, hyphen).find_first_not_of('-') < hyphen;
  return usable ? count_chars(fits.substr(0, hyphen + 1)) : space;
}

}  // namespace

std::vector<Text> wrap_line(Runtime& runtime, const Text& text, const WrapStyle& style) {
  std::deque<Chunk> chunks = chunks_of(Line(runtime, text.view()), style.break_on_hyphens);
  std::vector<Text> lines;
  while (!chunks.empty()) {
    if (chunks.front().is_space && !lines.empty()) chunks.pop_front();
    std::vector<Chunk> line;
    std::size_t used = 0;
    while (!chunks.empty() && used + chunks.front().n_chars <= style.width) {
      used += chunks.front().n_chars;
      line.push_back(chunks.front());
      chunks.pop_front();
    }
    if (!chunks.empty() && chunks.front().n_chars > style.width) {
      const std::size_t space = std::max<std::size_t>(style.width - used, 1);
      if (style.break_long_words && style.width > used) {
        const std::size_t n =
            long_word_cut(text.view(), chunks.front(), space, style.break_on_hyphens);
        line.push_back(split_off(text.view(), chunks.front(), n));
      } else if (line.empty()) {
        line.push_back(chunks.front());
        chunks.pop_front();
      }
    }
    if (!line.empty() && line.back().is_space) line.pop_back();
    runtime.work(sizeof(Text));
    if (!line.empty()) lines.push_back(text.slice(line.front().begin, line.back().end));
  }
  return lines;
}

}  // namespace confab::engine::jinja
