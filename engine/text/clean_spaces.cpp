// SPDX-License-Identifier: MIT
#include "engine/text/clean_spaces.h"

#include <cstddef>
#include <string_view>

namespace confab::engine {
namespace {

// " ?" and the like: the space goes.
std::string before_punctuation(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool joins = std::string_view("?!.,").find(text[i]) != std::string_view::npos;
    if (joins && i > 0 && text[i - 1] == ' ') out.pop_back();
    out += text[i];
  }
  return out;
}

// " ' ": both spaces go.
std::string around_apostrophes(std::string_view text) {
  std::string out;
  bool space_before = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool lone = text[i] == '\'' && space_before && text.substr(i + 1, 1) == " ";
    if (lone) out.pop_back();
    out += text[i];
    if (lone) ++i;
    space_before = !lone && text[i] == ' ';
  }
  return out;
}

// " 's", " 'm", " 're", " 've": the space goes.
std::string before_contractions(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const bool joins = rest.starts_with("'s") || rest.starts_with("'m") ||
                       rest.starts_with("'re") || rest.starts_with("'ve");
    if (joins && i > 0 && text[i - 1] == ' ') out.pop_back();
    out += text[i];
  }
  return out;
}

}  // namespace

std::string clean_spaces(const std::string& text) {
  return before_contractions(around_apostrophes(before_punctuation(text)));
}

}  // namespace confab::engine
