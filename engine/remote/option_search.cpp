// SPDX-License-Identifier: MIT
#include "engine/remote/option_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr int kMostAsked = 24;
constexpr double kLeast = 1e-9;       // of what the engine does not name among the likeliest
constexpr double kNegligible = 1e-6;  // a beginning that is not looked behind

std::string_view without_space(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n\t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

}  // namespace

OptionSearch::OptionSearch(std::vector<std::string> options)
    : options_(std::move(options)), p_(options_.size(), 0) {}

std::vector<std::size_t> OptionSearch::options_with(std::string_view beginning) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < options_.size(); ++i)
    if (options_[i].starts_with(beginning)) found.push_back(i);
  return found;
}

// The first in order: none of the others is a beginning of it, so that nothing more comes to it.
std::optional<std::string> OptionSearch::next() const {
  if (open_.empty()) return std::nullopt;
  if (n_asked_ == kMostAsked)
    throw ModelError(
        fmt::format("{} begin alike for too long; name choices that differ sooner", alike()));
  return open_.begin()->first;
}

std::string OptionSearch::alike() const {
  const auto found = options_with(open_.begin()->first);
  return fmt::format("'{}' and '{}'", options_[found[0]], options_[found[1]]);
}

void OptionSearch::take(const std::vector<TokenChance>& chances) {
  ++n_asked_;
  const auto [beginning, p_beginning] = *open_.begin();
  open_.erase(open_.begin());
  double p_led = 0;  // to any option
  for (const TokenChance& chance : chances) {
    const std::string_view text = beginning.empty() ? without_space(chance.text) : chance.text;
    if (text.empty()) continue;
    const std::string reached = beginning + std::string(text);
    const auto found = options_with(reached);
    const double p = p_beginning * std::exp(chance.log_p);
    if (!found.empty()) p_led += p;
    if (found.size() == 1) p_[found.front()] += p;
    if (found.size() > 1 && p >= kNegligible) open_[reached] += p;
  }
  const auto whole = std::ranges::find(options_, beginning);
  if (whole != options_.end())
    p_[static_cast<std::size_t>(whole - options_.begin())] += std::max(p_beginning - p_led, 0.0);
}

std::vector<OptionScore> OptionSearch::scores() const {
  std::vector<OptionScore> scores;
  for (const double p : p_)
    scores.push_back(
        {.tokens = {static_cast<Token>(scores.size())}, .log_p = std::log(std::max(p, kLeast))});
  return scores;
}

bool OptionSearch::has_found() const noexcept {
  return std::ranges::any_of(p_, [](double p) { return p >= kNegligible; });
}

}  // namespace confab::engine
