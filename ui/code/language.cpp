// SPDX-License-Identifier: MIT
#include "ui/code/language.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ui/words.h"

namespace confab::ui {
namespace {

constexpr std::size_t kMaxWordBytes = 32;

using WordRole = std::pair<std::string_view, Role>;

// Sorted by word. If a word is in several lists, the first one counts.
std::vector<WordRole> sorted_words(const Language& language) {
  const std::array<WordRole, 4> lists = {{{language.keywords, Role::code_keyword},
                                          {language.types, Role::code_type},
                                          {language.constants, Role::code_number},
                                          {language.functions, Role::code_function}}};
  std::vector<WordRole> words;
  for (auto [list, role] : lists)
    for (std::string_view word = take_word(list); !word.empty(); word = take_word(list))
      words.emplace_back(word, role);
  std::ranges::stable_sort(words, {}, &WordRole::first);
  return words;
}

const std::vector<WordRole>& words_of(const Language& language) {
  static const std::vector<std::vector<WordRole>> words = [] {
    std::vector<std::vector<WordRole>> all;
    for (const Language& each : data::languages()) all.push_back(sorted_words(each));
    return all;
  }();
  return words[static_cast<std::size_t>(&language - data::languages().data())];
}

const Language* find_name(std::string_view name) {
  for (const Language& language : data::languages())
    if (has_word(language.names, name)) return &language;
  return nullptr;
}

}  // namespace

const Language* find_language(std::string_view info) {
  info.remove_prefix(std::min(info.find_first_not_of(" \t{."), info.size()));
  info = info.substr(0, info.find_first_of(" \t\n,{}:;"));
  if (info.empty() || info.size() > 4 * kMaxWordBytes) return nullptr;
  const std::string name = lower_case(info);
  if (const Language* language = find_name(name)) return language;
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? nullptr : find_name(std::string_view(name).substr(dot + 1));
}

std::optional<Role> word_role(const Language& language, std::string_view word) {
  if (word.size() > kMaxWordBytes) return std::nullopt;
  std::array<char, kMaxWordBytes> lowered;
  if (language.ignore_case) {
    std::ranges::transform(word, lowered.begin(), to_lower);
    word = {lowered.data(), word.size()};
  }
  const std::vector<WordRole>& words = words_of(language);
  const auto found = std::ranges::lower_bound(words, word, {}, &WordRole::first);
  if (found == words.end() || found->first != word) return std::nullopt;
  return found->second;
}

}  // namespace confab::ui
