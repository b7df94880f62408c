// SPDX-License-Identifier: MIT
#include "app/nearest.h"

#include <algorithm>
#include <vector>

namespace confab::app {
namespace {

std::string_view letters(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of("-/"), word.size()));
}

// Optimal string alignment: Levenshtein's distance in which swapping two neighbours costs one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last.back();
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> names) {
  const std::string_view typed = letters(word);
  std::optional<std::string_view> best;
  for (const std::string_view name : names)
    if (typed.size() >= 2 && letters(name).starts_with(typed) &&
        (!best || name.size() < best->size()))
      best = name;
  if (best || typed.size() < 2) return best;
  std::size_t least = std::string_view::npos;
  for (const std::string_view name : names) {
    const std::string_view known = letters(name);
    const std::size_t d = distance(typed, known);
    const std::size_t allowed = std::max<std::size_t>(1, std::min(typed.size(), known.size()) / 3);
    if (known.size() < 2 || d > allowed || d >= least) continue;
    least = d;
    best = name;
  }
  return best;
}

}  // namespace confab::app
