// SPDX-License-Identifier: MIT
// Rows of logits to sample from.
#pragma once

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <set>
#include <vector>

#include "engine/run/pcg32.h"
#include "engine/run/sampling/candidates.h"

namespace confab::engine {

inline std::vector<float> uniform_row(std::size_t n, std::uint64_t seed, double width = 20) {
  Pcg32 random(seed);
  std::vector<float> row(n);
  for (float& logit : row) logit = static_cast<float>(width * (random.next_double() - 0.5));
  return row;
}

// As models give them: a bell, out of which some tokens stand.
inline std::vector<float> bell_row(std::size_t n, std::uint64_t seed) {
  Pcg32 random(seed);
  std::vector<float> row(n);
  for (float& logit : row) {
    const double u = 1 - random.next_double(), v = random.next_double();
    logit =
        static_cast<float>(2.5 * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
  }
  for (std::size_t i = 0; i < n / 100 + 3; ++i)
    row[random.next() % n] = static_cast<float>(8 + 10 * random.next_double());
  return row;
}

// Few different logits, of which many tokens have each.
inline std::vector<float> stepped_row(std::size_t n, std::uint64_t seed) {
  std::vector<float> row = uniform_row(n, seed, 8);
  for (float& logit : row) logit = std::round(logit);
  return row;
}

// The row is borrowed where it is long.
Candidates candidates_of(std::vector<float>&& row) = delete;
inline Candidates candidates_of(const std::vector<float>& row) {
  Candidates candidates(row.size());
  candidates.begin(row);
  candidates.settle();
  return candidates;
}

inline Candidates candidates_of(std::initializer_list<float> row) {
  const std::vector<float> few(row);
  return candidates_of(few);
}

inline std::set<Token> ids_of(const Candidates& candidates) {
  std::set<Token> ids;
  for (std::size_t i = 0; i < candidates.size(); ++i) ids.insert(candidates.id(i));
  return ids;
}

}  // namespace confab::engine
