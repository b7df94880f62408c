// SPDX-License-Identifier: MIT
#include "engine/run/sampling/selection.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "engine/run/sampling/portable_math.h"

namespace confab::engine {

Selection::Selection(std::size_t n_most)
    : members_(std::make_unique_for_overwrite<std::uint32_t[]>(n_most)) {}

Cut Selection::first(std::span<const float> keys, std::size_t k) noexcept {
  assert(k > 0 && k <= keys.size());
  return find(
      keys, [](std::size_t) { return 1.0; }, static_cast<double>(k));
}

Cut Selection::reach(std::span<const float> keys, std::span<const float> weights,
                     double mass) noexcept {
  assert(weights.size() == keys.size());
  return find(
      keys, [weights](std::size_t i) { return double{weights[i]}; },
      std::max(mass, std::numeric_limits<double>::min()));
}

std::size_t Selection::bin_of(double mass, double& sum) const noexcept {
  std::size_t last = kBins - 1;
  double above = sum;
  for (std::size_t bin = kBins; bin-- > 0;) {
    const double more = bins_[0][bin] + bins_[1][bin];
    if (more == 0) continue;
    last = bin;
    above = sum;
    sum += more;
    if (sum >= mass) break;
  }
  sum = above;
  return last;
}

// Sorts n members into bins by the bits of their keys from `shift` on, and finds the bin in which
// `sum` reaches `mass`. Its members become members_. Returns how many there are. Adding 0.0F turns
// a key of -0 into 0.
template <class Member, class Weight>
std::size_t Selection::narrow(std::span<const float> keys, const Weight& weight, std::size_t n,
                              const Member& member, int shift, double mass, double& sum) noexcept {
  const auto bin_at = [&](std::size_t at) { return (rank_of(keys[at] + 0.0F) >> shift) % kBins; };
  for (auto& bins : bins_) bins.fill(0);
  std::size_t i = 0;
  for (; i + 1 < n; i += 2) {
    bins_[0][bin_at(member(i))] += weight(member(i));
    bins_[1][bin_at(member(i + 1))] += weight(member(i + 1));
  }
  if (i < n) bins_[0][bin_at(member(i))] += weight(member(i));
  const std::size_t bin = bin_of(mass, sum);
  std::uint32_t* const members = members_.get();
  std::size_t n_left = 0;
  for (i = 0; i < n; ++i) {
    const std::size_t at = member(i);
    const bool is_in = bin_at(at) == bin;
    members[n_left] = static_cast<std::uint32_t>(at);
    n_left += is_in ? 1 : 0;
  }
  return n_left;
}

template <class Weight>
Cut Selection::find(std::span<const float> keys, const Weight& weight, double mass) noexcept {
  const std::uint32_t* const members = members_.get();
  std::size_t n = keys.size();
  double sum = 0;
  int shift = 32 - kBits;
  if (n > kSorted)
    n = narrow(
        keys, weight, n, [](std::size_t i) { return i; }, shift, mass, sum);
  else
    std::iota(members_.get(), members_.get() + n, 0U);
  while (n > kSorted && shift > 0) {
    shift = std::max(shift - kBits, 0);
    n = narrow(
        keys, weight, n, [members](std::size_t i) { return members[i]; }, shift, mass, sum);
  }
  return walk(keys, weight, n, mass, sum);
}

template <class Weight>
Cut Selection::walk(std::span<const float> keys, const Weight& weight, std::size_t n, double mass,
                    double sum) noexcept {
  const auto members = std::span(members_.get(), n);
  if (n <= kSorted)  // otherwise their keys are equal and in order
    std::ranges::sort(members, [keys](std::uint32_t a, std::uint32_t b) {
      return keys[a] > keys[b] || (keys[a] == keys[b] && a < b);
    });
  Cut cut{std::numeric_limits<float>::infinity(), 0};
  for (const std::uint32_t at : members) {
    cut.n_equal = keys[at] == cut.bar ? cut.n_equal + 1 : 1;
    cut.bar = keys[at];
    sum += weight(at);
    if (sum >= mass) break;
  }
  return cut;
}

}  // namespace confab::engine
