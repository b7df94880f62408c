// SPDX-License-Identifier: MIT
#include "app/line/decision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace confab::app {
namespace {

bool is_small_letter(char c) {
  return c >= 'a' && c <= 'z';
}

std::string capitalised(std::string text) {
  if (is_small_letter(text.front())) text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

bool begins(const std::vector<engine::Token>& a, const std::vector<engine::Token>& b) {
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

// Of each score, how likely an answer is that begins with it and with no longer one of them, as a
// share of exp(most). Those that are the same count once.
std::vector<double> shares_of(std::span<const engine::OptionScore> scores, double most) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(
      order, std::ranges::less(), [&](std::size_t i) -> const auto& { return scores[i].tokens; });
  std::vector<double> shares(scores.size());
  std::vector<std::size_t> begun;  // each begins those after it
  for (const std::size_t i : order) {
    while (!begun.empty() && !begins(scores[begun.back()].tokens, scores[i].tokens))
      begun.pop_back();
    if (!begun.empty() && scores[begun.back()].tokens == scores[i].tokens) continue;
    shares[i] = std::exp(scores[i].log_p - most);
    if (!begun.empty()) shares[begun.back()] -= shares[i];
    begun.push_back(i);
  }
  return shares;
}

}  // namespace

std::vector<Choice> choices_of(const DecisionOptions& options) {
  if (options.yes_no) return {{"yes", {"yes", "Yes", "YES"}}, {"no", {"no", "No", "NO"}}};
  std::vector<Choice> choices;
  for (const std::string& name : options.choices) {
    choices.push_back({name, {name}});
    const std::string other = capitalised(name);
    if (std::ranges::find(options.choices, other) == options.choices.end())
      choices.back().spellings.push_back(other);
  }
  return choices;
}

std::vector<std::string> spellings_of(std::span<const Choice> choices) {
  std::vector<std::string> all;
  for (const Choice& choice : choices)
    all.insert(all.end(), choice.spellings.begin(), choice.spellings.end());
  return all;
}

std::string asked_for_choice(const std::string& question, const DecisionOptions& options) {
  if (options.yes_no) return question + "\n\nAnswer with yes or no only.";
  const bool in_line = std::ranges::none_of(options.choices, [](const std::string& choice) {
    return choice.find_first_of(",.;:") != std::string::npos;
  });
  if (in_line)
    return fmt::format("{}\n\nAnswer with one of these only: {}", question,
                       fmt::join(options.choices, ", "));
  return fmt::format("{}\n\nAnswer with one of these lines only:\n{}", question,
                     fmt::join(options.choices, "\n"));
}

Verdict weigh(std::span<const Choice> choices, std::span<const engine::OptionScore> scores) {
  assert(!choices.empty());
  double most = -std::numeric_limits<double>::infinity();
  for (const engine::OptionScore& score : scores) most = std::max(most, score.log_p);
  Verdict verdict{.probabilities = std::vector<double>(choices.size(), 0.0)};
  if (!std::isfinite(most)) {  // the model gives none of them any chance
    verdict.probabilities.assign(choices.size(), 1.0 / static_cast<double>(choices.size()));
    return verdict;
  }
  const std::vector<double> shares = shares_of(scores, most);
  auto share = shares.begin();
  for (std::size_t i = 0; i < choices.size(); ++i)
    for (std::size_t k = 0; k < choices[i].spellings.size(); ++k)
      verdict.probabilities[i] += std::max(0.0, *share++);
  const double total = std::reduce(verdict.probabilities.begin(), verdict.probabilities.end());
  verdict.coverage = std::min(1.0, total * std::exp(most));
  for (double& p : verdict.probabilities) p /= total;
  const auto best = std::ranges::max_element(verdict.probabilities);
  verdict.best = static_cast<std::size_t>(best - verdict.probabilities.begin());
  return verdict;
}

}  // namespace confab::app
