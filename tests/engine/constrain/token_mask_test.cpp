// SPDX-License-Identifier: MIT
#include "engine/constrain/token_mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace confab::engine {
namespace {

TEST(TokenMaskTest, HasWhatWasAdded) {
  std::mt19937 rng(1);
  for (const int n_vocab : {1, 63, 64, 65, 300}) {
    TokenMask mask(n_vocab), other(n_vocab);
    EXPECT_TRUE(mask.is_empty());
    std::set<Token> tokens;
    for (int i = 0; i < n_vocab; ++i) {
      const auto token = static_cast<Token>(rng() % static_cast<unsigned>(n_vocab));
      if (rng() % 3 == 0) {
        mask.remove(token);
        tokens.erase(token);
      } else {
        mask.add(token);
        tokens.insert(token);
      }
    }
    for (Token token = 0; token < n_vocab; ++token)
      EXPECT_EQ(mask.has(token), tokens.count(token) == 1);
    EXPECT_EQ(mask.count(), std::ssize(tokens));
    EXPECT_EQ(mask.is_empty(), tokens.empty());
    other.add(n_vocab - 1);
    other.add(mask);
    EXPECT_EQ(other.count(), std::ssize(tokens) + (tokens.count(n_vocab - 1) == 0));
    mask.clear();
    EXPECT_EQ(mask, TokenMask(n_vocab));
  }
}

// Every logit of what it has stays to the bit; all others are never chosen.
TEST(TokenMaskTest, LogitsOfTheOthersAreMinusInfinity) {
  std::mt19937 rng(2);
  for (const int n_vocab : {1, 64, 100, 300, 1000})
    for (const unsigned density : {1U, 2U, 50U, 1000U}) {
      TokenMask mask(n_vocab);
      for (Token token = 0; token < n_vocab; ++token)
        if (rng() % density == 0) mask.add(token);
      std::vector<float> logits(static_cast<std::size_t>(n_vocab));
      for (float& logit : logits) logit = static_cast<float>(rng() % 1000) - 500;
      std::vector<float> held = logits;
      mask.apply(held);
      for (Token token = 0; token < n_vocab; ++token) {
        const auto i = static_cast<std::size_t>(token);
        EXPECT_EQ(held[i], mask.has(token) ? logits[i] : -INFINITY);
      }
    }
}

}  // namespace
}  // namespace confab::engine
