// SPDX-License-Identifier: MIT
// Splits a text into words that merges cannot cross, for vocabularies in which no token spans the
// start of a word. Merging each word separately then gives the same result as merging the whole
// text, and most words have occurred before.
#pragma once

#include <cstddef>
#include <string_view>

namespace confab::engine {

// Where the tokens of a vocabulary allow a text to be cut.
struct WordBorders {
  bool at_spaces = true;  // before spaces: no token has a space after another character
  bool at_lines = true;   // around line feeds: no token mixes them with other characters

  // Accounts for a token or the result of a merge. `space` is how it writes the space.
  void add(std::string_view token, std::string_view space) {
    const std::size_t not_break = token.find_first_not_of('\n');
    if (not_break != token.npos && token.find('\n') != token.npos) at_lines = false;
    while (token.starts_with(space)) token.remove_prefix(space.size());
    if (token.find(space) != token.npos) at_spaces = false;
  }
};

// Calls use(word) for all words of the text, in order. Each word begins with its spaces.
template <typename Use>
void for_each_word(std::string_view text, WordBorders borders, Use use) {
  if (!borders.at_spaces) {
    if (!text.empty()) use(text);
    return;
  }
  const std::string_view enders =
      borders.at_lines ? std::string_view(" \n") : std::string_view(" ");
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(' ');
    std::size_t end = text.npos;
    if (begin != text.npos && text[begin] == '\n' && borders.at_lines) {
      // The spaces before line feeds form one word, and the line feeds another.
      end = begin > 0 ? begin : text.find_first_not_of('\n');
    } else if (begin != text.npos) {
      end = text.find_first_of(enders, begin);
    }
    use(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end);
  }
}

}  // namespace confab::engine
