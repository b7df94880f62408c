// SPDX-License-Identifier: MIT
#include "engine/run/sampling/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

using Row = std::vector<float>;

// The members in order of their keys, equal ones in that of their places.
std::vector<std::size_t> order_of(const Row& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
  return order;
}

// Which members a cut keeps.
std::vector<std::size_t> kept(const Row& keys, Cut cut) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_equal = keys[i] == cut.bar && cut.n_equal > 0;
    cut.n_equal -= is_equal ? 1 : 0;
    if (keys[i] > cut.bar || is_equal) members.push_back(i);
  }
  return members;
}

std::vector<Row> rows(std::size_t n) {
  Row signs = stepped_row(n, 5);
  for (std::size_t i = 0; i < n; ++i)
    if (signs[i] == 0 && i % 2 == 0) signs[i] = -0.0F;
  Row close(n);
  for (std::size_t i = 0; i < n; ++i) close[i] = 5 + 1e-6F * static_cast<float>(i * 7919 % n % 40);
  return {uniform_row(n, n),
          bell_row(n, n + 1),
          stepped_row(n, n + 2),
          Row(n, 1.5F),
          signs,
          close,
          Row(n, -3e38F),
          uniform_row(n, n + 3, 1e38)};
}

TEST(SelectionTest, TheFirstAreThoseOfASort) {
  for (const std::size_t n : {1U, 2U, 255U, 256U, 257U, 3000U, 20000U}) {
    Selection selection(n);
    for (const Row& keys : rows(n)) {
      const std::vector<std::size_t> order = order_of(keys);
      for (const std::size_t k : {std::size_t{1}, n / 3 + 1, n - n / 7, n}) {
        std::vector<std::size_t> want(order.begin(),
                                      order.begin() + static_cast<std::ptrdiff_t>(k));
        std::ranges::sort(want);
        ASSERT_EQ(kept(keys, selection.first(keys, k)), want) << n << ' ' << k;
      }
    }
  }
}

TEST(SelectionTest, TheMassIsReachedAndNotWithout) {
  Pcg32 random(11);
  for (const std::size_t n : {1U, 100U, 257U, 5000U}) {
    Selection selection(n);
    for (const Row& keys : rows(n)) {
      Row weights(n);  // quarters, so that sums are exact in whatever order
      for (float& w : weights) w = static_cast<float>(random.next() % 8) / 4;
      weights[0] = 1;
      const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (const double part : {0.0, 0.1, 0.5, 0.999, 1.0}) {
        double sum = 0;
        std::vector<std::size_t> want;
        for (const std::size_t i : order_of(keys)) {
          want.push_back(i);
          if ((sum += weights[i]) >= std::max(part * total, 1e-300)) break;
        }
        std::ranges::sort(want);
        ASSERT_EQ(kept(keys, selection.reach(keys, weights, part * total)), want)
            << n << ' ' << part;
      }
    }
  }
}

TEST(SelectionTest, AMassThatIsNotThereTakesAll) {
  for (const std::size_t n : {3U, 1000U}) {
    const Row keys = uniform_row(n, 1), weights(n, 1.0F);
    Selection selection(n);
    EXPECT_EQ(kept(keys, selection.reach(keys, weights, 1e9)).size(), n);
  }
}

}  // namespace
}  // namespace confab::engine
