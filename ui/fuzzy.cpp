// SPDX-License-Identifier: MIT
#include "ui/fuzzy.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

#include "ui/text.h"

namespace confab::ui {
namespace {

constexpr std::size_t kMaxText = 512;
constexpr std::size_t kMaxQuery = 64;

constexpr int kMatch = 16;
constexpr int kWordBegin = 8;   // the first letter of a word, or a capital after a small letter
constexpr int kNeighbour = 12;  // directly after the previous match
constexpr int kGap = -1;        // for each skipped character
constexpr int kImpossible = -1000000;

struct Character {
  std::int32_t code_point;
  std::size_t at;  // byte offset
};

std::vector<Character> characters(std::string_view text, std::size_t limit) {
  std::vector<Character> out;
  std::size_t at = 0;
  while (at < text.size() && out.size() < limit) {
    const Utf8Character next = next_character(text.substr(at));
    out.push_back({static_cast<std::int32_t>(next.code_point), at});
    at += next.n_bytes;
  }
  return out;
}

bool is_upper(std::int32_t c) {
  return utf8proc_tolower(c) != c;
}

bool is_word(std::int32_t c) {
  const utf8proc_category_t category = utf8proc_category(c);
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
         (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}

bool equal(std::int32_t text, std::int32_t query) {
  return text == query || (!is_upper(query) && utf8proc_tolower(text) == query);
}

bool begins_word(const std::vector<Character>& text, std::size_t i) {
  const std::int32_t c = text[i].code_point;
  if (i == 0) return true;
  const std::int32_t before = text[i - 1].code_point;
  return is_word(c) && (!is_word(before) || (is_upper(c) && !is_upper(before)));
}

// Matches one word of the query. best_[i * n + j] is the best score of its first i + 1 letters if
// the last of them matches character j of the text. from_ says which character the letter before it
// matches then.
class WordMatch {
 public:
  WordMatch(const std::vector<Character>& text, const std::vector<Character>& word)
      : text_(text), word_(word), n_(text.size()) {
    best_.assign(word.size() * n_, kImpossible);
    from_.assign(word.size() * n_, 0);
    for (std::size_t i = 0; i < word.size(); ++i) fill_row(i);
  }

  // Adds the positions of the letters. Returns false if the word does not match.
  bool add_to(FuzzyMatch& match) const {
    const auto last = best_.end() - static_cast<std::ptrdiff_t>(n_);
    const auto found = std::max_element(last, best_.end());
    if (found == best_.end() || *found <= kImpossible / 2) return false;
    match.score += *found;
    auto j = static_cast<std::size_t>(found - last);
    for (std::size_t i = word_.size(); i-- > 0; j = from_[i * n_ + j])
      match.at.push_back(text_[j].at);
    return true;
  }

 private:
  void fill_row(std::size_t i) {
    // The best score to the left in the row above, less the gap.
    int reach = i == 0 ? 0 : kImpossible;
    std::size_t reach_from = 0;
    for (std::size_t j = i; j < n_; ++j) {
      const int above = i > 0 && j > 0 ? best_[(i - 1) * n_ + j - 1] : kImpossible;
      const bool joins = above + kNeighbour > reach + kGap;
      const int before = i == 0 ? 0 : std::max(above + kNeighbour, reach + kGap);
      if (before > kImpossible / 2 && equal(text_[j].code_point, word_[i].code_point)) {
        best_[i * n_ + j] = before + kMatch + (begins_word(text_, j) ? kWordBegin : 0);
        from_[i * n_ + j] = joins && j > 0 ? j - 1 : reach_from;
      }
      if (above >= reach + kGap && i > 0) {
        reach = above;
        reach_from = j - 1;
      } else {
        reach += kGap;
      }
    }
  }

  const std::vector<Character>& text_;
  const std::vector<Character>& word_;
  std::size_t n_;
  std::vector<int> best_;
  std::vector<std::size_t> from_;
};

// A quick check that most texts fail. It looks at each letter once.
bool has_in_order(const std::vector<Character>& text, const std::vector<Character>& word) {
  std::size_t found = 0;
  for (const Character& c : text)
    if (found < word.size() && equal(c.code_point, word[found].code_point)) ++found;
  return found == word.size();
}

}  // namespace

std::optional<FuzzyMatch> fuzzy_match(std::string_view text, std::string_view query) {
  FuzzyMatch match;
  const std::vector<Character> letters = characters(text, kMaxText);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find(' '), query.size());
    const std::vector<Character> word = characters(query.substr(0, end), kMaxQuery);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (word.empty()) continue;
    if (!has_in_order(letters, word) || !WordMatch(letters, word).add_to(match))
      return std::nullopt;
  }
  std::ranges::sort(match.at);
  match.at.erase(std::unique(match.at.begin(), match.at.end()), match.at.end());
  return match;
}

}  // namespace confab::ui
