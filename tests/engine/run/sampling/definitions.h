// SPDX-License-Identifier: MIT
// The samplers as their papers define them: in double precision, over sorted lists, and slowly.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/api/sampler_params.h"

namespace confab::engine::definition {

struct Choice {
  double logit;
  Token id;
};
// From the likeliest down, of equal ones the lowest id first.
using Choices = std::vector<Choice>;

inline void sort(Choices& choices) {
  std::ranges::stable_sort(choices, [](const Choice& a, const Choice& b) {
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
  });
}

inline Choices choices_of(std::span<const float> row) {
  Choices choices;
  for (std::size_t id = 0; id < row.size(); ++id)
    if (std::isfinite(row[id])) choices.push_back({row[id], static_cast<Token>(id)});
  sort(choices);
  return choices;
}

inline std::vector<double> probabilities(const Choices& choices) {
  std::vector<double> p;
  double total = 0;
  for (const Choice& c : choices) total += std::exp(c.logit - choices[0].logit);
  for (const Choice& c : choices) p.push_back(std::exp(c.logit - choices[0].logit) / total);
  return p;
}

inline double entropy(const Choices& choices) {
  double sum = 0;
  for (const double p : probabilities(choices)) sum -= p > 0 ? p * std::log(p) : 0;
  return sum;
}

inline void top_k(Choices& choices, std::size_t k) {
  if (k > 0 && k < choices.size()) choices.resize(k);
}

inline void top_p(Choices& choices, double share) {
  const std::vector<double> p = probabilities(choices);
  double sum = 0;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if ((sum += p[i]) >= share) return choices.resize(i + 1);
}

inline void min_p(Choices& choices, double share) {
  const double best = choices[0].logit;
  std::erase_if(choices, [&](const Choice& c) { return std::exp(c.logit - best) < share; });
}

inline void typical(Choices& choices, double share) {
  const std::vector<double> p = probabilities(choices);
  const double h = entropy(choices);
  std::vector<std::size_t> order(choices.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto distance = [&](std::size_t i) { return std::abs(-std::log(p[i]) - h); };
  std::ranges::stable_sort(order, std::less<>(), distance);
  Choices kept;
  double sum = 0;
  for (const std::size_t i : order) {
    kept.push_back(choices[i]);
    if ((sum += p[i]) >= share) break;
  }
  choices = kept;
  sort(choices);
}

inline void top_n_sigma(Choices& choices, double n) {
  double mean = 0, variance = 0;
  const auto count = static_cast<double>(choices.size());
  for (const Choice& c : choices) mean += c.logit / count;
  for (const Choice& c : choices) variance += (c.logit - mean) * (c.logit - mean) / count;
  const double bar = choices[0].logit - n * std::sqrt(variance);
  std::erase_if(choices, [bar](const Choice& c) { return c.logit < bar; });
}

// When chance will have it.
inline void xtc(Choices& choices, double threshold) {
  const std::vector<double> p = probabilities(choices);
  const auto n = std::ranges::count_if(p, [threshold](double x) { return x >= threshold; });
  if (n >= 2) choices.erase(choices.begin(), choices.begin() + n - 1);
}

inline void temperature(Choices& choices, double degrees) {
  if (degrees == 0) return choices.resize(1);
  for (Choice& c : choices) c.logit /= degrees;
}

inline double dynamic_temperature(const Choices& choices, const SamplerParams& p) {
  const double least = std::max(0.0, double{p.temperature} - p.dynatemp_range);
  const double most = double{p.temperature} + p.dynatemp_range;
  const double part = entropy(choices) / std::log(static_cast<double>(choices.size()));
  return least + (most - least) * std::pow(part, p.dynatemp_exponent);
}

inline void temperature(Choices& choices, const SamplerParams& p) {
  if (choices.size() < 2) return;
  temperature(choices, p.dynatemp_range > 0 ? dynamic_temperature(choices, p) : p.temperature);
}

inline void penalties(Choices& choices, const SamplerParams& p, std::span<const Token> context) {
  const auto n = std::min(context.size(), static_cast<std::size_t>(p.repeat_last_n));
  for (Choice& c : choices) {
    const auto count = std::ranges::count(context.last(n), c.id);
    if (count == 0) continue;
    c.logit = c.logit > 0 ? c.logit / p.repeat_penalty : c.logit * p.repeat_penalty;
    c.logit -= double{p.frequency_penalty} * static_cast<double>(count) + p.presence_penalty;
  }
  sort(choices);
}

// The repetition that `token` would make longer: the most tokens at the end of the context, at most
// `most`, that also stand before a `token` in it.
inline std::size_t repetition(std::span<const Token> context, Token token, std::size_t most) {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < context.size(); ++at) {
    if (context[at] != token) continue;
    std::size_t n = 0;
    while (n < at && n < most && context[at - 1 - n] == context[context.size() - 1 - n]) ++n;
    longest = std::max(longest, n);
  }
  return longest;
}

// is_breaker: of single tokens.
inline void dry(
    Choices& choices, const SamplerParams& p, std::span<const Token> context,
    const std::function<bool(Token)>& is_breaker = [](Token) { return false; }) {
  context = context.last(std::min(context.size(), static_cast<std::size_t>(p.dry_penalty_last_n)));
  std::size_t most = 0;
  while (most < context.size() && !is_breaker(context[context.size() - 1 - most])) ++most;
  for (Choice& c : choices) {
    const auto n = static_cast<int>(repetition(context, c.id, most));
    if (n >= p.dry_allowed_length && !is_breaker(c.id))
      c.logit -= p.dry_multiplier * std::pow(p.dry_base, n - p.dry_allowed_length);
  }
  sort(choices);
}

using Distribution = std::map<Token, double>;

// Adds to `found`, times `chance`, what the samplers from this one on make of the choices.
inline void add_distribution(Distribution& found, const SamplerParams& p, std::size_t step,
                             Choices choices, std::span<const Token> context, double chance) {
  for (; step < p.samplers.size(); ++step) {
    switch (p.samplers[step]) {
      case SamplerKind::penalties:
        penalties(choices, p, context);
        break;
      case SamplerKind::dry:
        if (p.dry_multiplier > 0) dry(choices, p, context);
        break;
      case SamplerKind::top_n_sigma:
        if (p.top_n_sigma > 0) top_n_sigma(choices, p.top_n_sigma);
        break;
      case SamplerKind::top_k:
        top_k(choices, static_cast<std::size_t>(p.top_k));
        break;
      case SamplerKind::typical:
        if (p.typical_p < 1) typical(choices, p.typical_p);
        break;
      case SamplerKind::top_p:
        if (p.top_p < 1) top_p(choices, p.top_p);
        break;
      case SamplerKind::min_p:
        min_p(choices, p.min_p);
        break;
      case SamplerKind::xtc:
        if (p.xtc_probability > 0) {
          add_distribution(found, p, step + 1, choices, context, chance * (1 - p.xtc_probability));
          xtc(choices, p.xtc_threshold);
          chance *= p.xtc_probability;
        }
        break;
      case SamplerKind::temperature:
        temperature(choices, p);
        break;
    }
  }
  const std::vector<double> odds = probabilities(choices);
  for (std::size_t i = 0; i < odds.size(); ++i) found[choices[i].id] += chance * odds[i];
}

// What comes after the context, without Mirostat, breakers of DRY and biases.
inline Distribution distribution(const SamplerParams& p, std::span<const float> row,
                                 std::span<const Token> context = {}) {
  Distribution found;
  add_distribution(found, p, 0, choices_of(row), context, 1);
  return found;
}

// Exceeded once in ten thousand times (Wilson and Hilferty 1931).
inline double chi_square_limit(int degrees) {
  const double spread = 2.0 / (9 * degrees);
  return degrees * std::pow(1 - spread + 3.72 * std::sqrt(spread), 3);
}

}  // namespace confab::engine::definition
