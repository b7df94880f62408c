// SPDX-License-Identifier: MIT
#include "engine/remote/token_estimate.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace confab::engine {
namespace {

constexpr double kAroundTurn = 5;  // tokens of the template around each

// Most vocabularies have a token for a letter of two bytes, and for one of three.
std::size_t weight(std::string_view text) {
  const auto n_lead = static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0xC0; }));
  return text.size() + n_lead;
}

}  // namespace

std::size_t TokenEstimate::n_bytes(const std::vector<Turn>& turns) {
  std::size_t n = 0;
  for (const Turn& turn : turns) n += weight(turn.message.content) + weight(turn.message.reasoning);
  return n;
}

int TokenEstimate::count(std::size_t n_bytes, std::size_t n_turns) const {
  const double n = std::ceil(static_cast<double>(n_bytes) / bytes_per_token_) +
                   kAroundTurn * static_cast<double>(n_turns);
  return static_cast<int>(std::min(n, static_cast<double>(INT_MAX)));
}

int TokenEstimate::count(const std::vector<Turn>& turns) const {
  return count(n_bytes(turns), turns.size());
}

// Of a short prompt, most is the template.
void TokenEstimate::learn(std::size_t n_bytes, std::size_t n_turns, int n_tokens) {
  constexpr std::size_t kLeast = 256;
  constexpr double kDensest = 1, kSparsest = 8, kShare = 0.5;
  const double of_text = n_tokens - kAroundTurn * static_cast<double>(n_turns);
  if (n_bytes < kLeast || of_text < 1) return;
  const double seen = std::clamp(static_cast<double>(n_bytes) / of_text, kDensest, kSparsest);
  bytes_per_token_ += kShare * (seen - bytes_per_token_);
}

}  // namespace confab::engine
