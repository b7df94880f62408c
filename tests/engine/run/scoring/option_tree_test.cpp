// SPDX-License-Identifier: MIT
#include "engine/run/scoring/scorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace confab::engine {
namespace {

using testing::ElementsAre;

using Options = std::vector<std::vector<Token>>;

// A "model" whose logits after some tokens are noise that only depends on these.
std::vector<float> logits_after(std::span<const Token> tokens) {
  std::uint32_t seed = 1;
  for (const Token token : tokens) seed = seed * 31 + static_cast<std::uint32_t>(token) + 1;
  std::mt19937 rng(seed);
  std::vector<float> logits(8);
  for (float& x : logits) x = static_cast<float>(rng() % 1000) / 100;
  return logits;
}

double log_p(std::span<const float> logits, Token token) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x));
  return static_cast<double>(logits[static_cast<std::size_t>(token)]) - std::log(sum);
}

// Runs all paths, as a scorer does.
void run_all(OptionTree& tree) {
  EXPECT_TRUE(tree.take(OptionTree::kRoot, logits_after({})));
  for (const OptionTree::Path& path : tree.paths()) {
    std::vector<Token> tokens;
    for (const int node : path.nodes) {
      tokens.push_back(tree.token(node));
      EXPECT_TRUE(tree.take(node, logits_after(tokens)));
    }
  }
}

TEST(OptionTreeTest, ScoresAreThoseOfEachOptionAlone) {
  const Options options{{1, 2, 3}, {1, 2}, {1, 4}, {5}, {1, 2, 3}, {1, 4, 4, 4}};
  OptionTree tree(options, std::vector<Token>{6, 7});
  run_all(tree);
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::span<const Token> all = options[i];
    double want = 0;
    for (std::size_t n = 0; n < all.size(); ++n) want += log_p(logits_after(all.first(n)), all[n]);
    const auto last = logits_after(all);
    const OptionScore got = tree.score(i);
    EXPECT_EQ(got.tokens, options[i]);
    EXPECT_NEAR(got.log_p, want, 1e-12) << i;
    EXPECT_NEAR(got.log_p_end, std::log(std::exp(log_p(last, 6)) + std::exp(log_p(last, 7))), 1e-12)
        << i;
  }
}

TEST(OptionTreeTest, EachPathAddsToAnEarlierOne) {
  const OptionTree tree(Options{{1, 2}, {1, 2, 3}, {1, 4}, {1, 2, 5}, {9}}, {});
  const auto paths = tree.paths();
  ASSERT_EQ(paths.size(), 4U) << "one begins another, so it is no path of its own";
  std::vector<int> n_shared, parents;
  for (const OptionTree::Path& path : paths) {
    n_shared.push_back(path.n_shared);
    parents.push_back(path.parent);
  }
  EXPECT_THAT(n_shared, ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(parents, ElementsAre(-1, 0, 0, -1));
}

TEST(OptionTreeTest, OfManyOptionsEachTokenIsInOnePathAlone) {
  std::mt19937 rng(20261123);
  for (int round = 0; round < 50; ++round) {
    Options options;
    for (std::size_t n = 1 + rng() % 20; n > 0; --n) {
      options.emplace_back(1 + rng() % 5);
      for (Token& token : options.back()) token = static_cast<Token>(rng() % 3);
    }
    const OptionTree tree(options, {});
    std::set<int> seen;
    for (std::size_t i = 0; i < tree.paths().size(); ++i) {
      const OptionTree::Path& path = tree.paths()[i];
      EXPECT_LT(path.parent, static_cast<int>(i));
      for (std::size_t k = 0; k < path.nodes.size(); ++k)
        EXPECT_EQ(seen.insert(path.nodes[k]).second, static_cast<int>(k) >= path.n_shared);
      if (path.parent < 0) continue;
      const auto& parent = tree.paths()[static_cast<std::size_t>(path.parent)].nodes;
      ASSERT_LE(path.n_shared, static_cast<int>(parent.size()));
      EXPECT_TRUE(
          std::equal(path.nodes.begin(), path.nodes.begin() + path.n_shared, parent.begin()));
    }
    std::set<std::vector<Token>> prefixes;
    for (const auto& option : options)
      for (std::size_t n = 1; n <= option.size(); ++n)
        prefixes.emplace(option.begin(), option.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(seen.size(), prefixes.size());
  }
}

TEST(OptionTreeTest, LogitsThatAreNotNumbersAreNotTaken) {
  OptionTree tree(Options{{1}}, std::vector<Token>{0});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(tree.take(OptionTree::kRoot, std::vector<float>{0, nan, 0}));
  EXPECT_FALSE(tree.take(OptionTree::kRoot, std::vector<float>{0, inf, 0}));
  EXPECT_FALSE(tree.has(OptionTree::kRoot));
  EXPECT_TRUE(tree.take(OptionTree::kRoot, std::vector<float>{0, -inf, 0}));
  EXPECT_TRUE(tree.take(tree.paths()[0].nodes[0], std::vector<float>{-inf, 0, 0}));
  EXPECT_EQ(tree.score(0).log_p, -inf);
  EXPECT_EQ(tree.score(0).log_p_end, -inf);
}

}  // namespace
}  // namespace confab::engine
