// SPDX-License-Identifier: MIT
#include "engine/run/sampling/filters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/engine/run/sampling/definitions.h"
#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

SamplerParams version(int number, float tau = 3, float eta = 0.2F) {
  return {.mirostat = number, .mirostat_tau = tau, .mirostat_eta = eta};
}

// The paper's equations, over sorted probabilities.
std::size_t defined_k(const std::vector<double>& p, double mu, double n_vocab) {
  double products = 0, squares = 0;
  for (std::size_t i = 0; i + 1 < std::min<std::size_t>(100, p.size()); ++i) {
    const double t = std::log(double(i + 2) / double(i + 1)), b = std::log(p[i] / p[i + 1]);
    products += t * b;
    squares += t * t;
  }
  const double s = products / squares, epsilon = s - 1;
  const double k = std::pow(epsilon * std::pow(2, mu) / (1 - std::pow(n_vocab, -epsilon)), 1 / s);
  return static_cast<std::size_t>(std::clamp(k, 1.0, static_cast<double>(p.size())));
}

std::size_t defined_n_likely(const std::vector<double>& p, double mu) {
  const auto n = std::ranges::count_if(p, [mu](double x) { return -std::log2(x) <= mu; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(n, 1));
}

TEST(MirostatTest, KeepsWhatThePapersEquationsSay) {
  for (const std::size_t n : {2U, 30U, 500U, 6000U}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      for (const float tau : {0.5F, 1.5F, 3.0F, 5.0F}) {
        for (const int number : {1, 2}) {
          const std::vector<float> row = seed % 2 == 0 ? uniform_row(n, seed) : bell_row(n, seed);
          Mirostat mirostat(version(number, tau), static_cast<int>(n));
          Candidates found = candidates_of(row);
          found.divide(0.9);
          mirostat.truncate(found);
          definition::Choices choices = definition::choices_of(row);
          definition::temperature(choices, 0.9);
          const std::vector<double> p = definition::probabilities(choices);
          const double mu = 2 * double{tau};
          definition::top_k(choices, number == 1 ? defined_k(p, mu, static_cast<double>(n))
                                                 : defined_n_likely(p, mu));
          std::set<Token> want;
          for (const definition::Choice& c : choices) want.insert(c.id);
          ASSERT_EQ(ids_of(found), want) << number << ' ' << n << ' ' << seed << ' ' << tau;
        }
      }
    }
  }
}

TEST(MirostatTest, MuMovesByTheErrorOfWhatIsAccepted) {
  Mirostat mirostat(version(2), 10);
  EXPECT_NEAR(mirostat.mu(), 6, 1e-6);
  mirostat.note({.token = 4, .probability = 0.25});  // a surprise of 2 bits, where 3 are wanted
  EXPECT_NEAR(mirostat.mu(), 6, 1e-6);
  mirostat.note({.token = 5, .probability = 1.0 / 32});
  mirostat.accept(5);
  EXPECT_NEAR(mirostat.mu(), 6 - 0.2 * (5 - 3), 1e-6) << "of the last draw alone";
  mirostat.accept(5);
  EXPECT_NEAR(mirostat.mu(), 5.6, 1e-6) << "it learns from a draw once";
  mirostat.note({.token = 4, .probability = 0.25});
  mirostat.accept(3);
  EXPECT_NEAR(mirostat.mu(), 5.6, 1e-6) << "what is given was not drawn";
  mirostat.accept(4);
  EXPECT_NEAR(mirostat.mu(), 5.6, 1e-6);
}

TEST(MirostatTest, TheSurpriseComesNearTheTarget) {
  for (const int number : {1, 2}) {
    for (const float tau : {2.0F, 4.0F}) {
      Mirostat mirostat(version(number, tau, 0.1F), 3000);
      Pcg32 random(20250611);
      double sum = 0;
      constexpr int kTokens = 600;
      for (int i = 0; i < kTokens; ++i) {
        const auto row = uniform_row(3000, static_cast<std::uint64_t>(i), 24);
        Candidates found = candidates_of(row);
        mirostat.truncate(found);
        const Drawn drawn = draw(found, random);
        mirostat.note(drawn);
        mirostat.accept(drawn.token);
        if (i >= kTokens / 3) sum -= std::log2(drawn.probability);
      }
      EXPECT_NEAR(sum / (kTokens - kTokens / 3.0), tau, 0.2) << number;
    }
  }
}

TEST(MirostatTest, OddRowsLeaveOneAtLeast) {
  for (const int number : {1, 2}) {
    for (const float tau : {0.0F, 5.0F, 100.0F}) {
      for (const std::vector<float>& row :
           {std::vector<float>{1}, std::vector<float>(700, 0.5F), std::vector<float>{0, -1e30F},
            std::vector<float>{3e38F, -3e38F, 0, 0}}) {
        Mirostat mirostat(version(number, tau), static_cast<int>(row.size()));
        Candidates found = candidates_of(row);
        mirostat.truncate(found);
        EXPECT_GE(found.size(), 1U);
        EXPECT_LE(found.size(), row.size());
      }
    }
  }
}

TEST(MirostatTest, IsOffUnlessItsVersionIsGiven) {
  EXPECT_FALSE(Mirostat(version(0), 5).is_on());
  EXPECT_TRUE(Mirostat(version(1), 5).is_on());
}

}  // namespace
}  // namespace confab::engine
