// SPDX-License-Identifier: MIT
// Finds how far down a set one must go to reach a number of its members or a share of its weight,
// without sorting it. Builds a histogram over the leading bits of the keys, then again over the
// next bits within the bin that contains the end. At most three passes, whatever the keys are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace confab::engine {

// Selects the members with keys above `bar`, and the first n_equal with that key.
struct Cut {
  float bar;
  std::size_t n_equal;
};

class Selection {
 public:
  // For sets of up to n_most members.
  explicit Selection(std::size_t n_most);

  // The k members with the greatest keys, of equal ones the first. 0 < k <= keys.size(). No key may
  // be NaN.
  Cut first(std::span<const float> keys, std::size_t k) noexcept;
  // The fewest members, from the greatest key down and of equal ones the first, whose total weight
  // reaches `mass`. Includes at least one with a weight above 0. All of them if the total is less.
  // weights [n], none negative.
  Cut reach(std::span<const float> keys, std::span<const float> weights, double mass) noexcept;

 private:
  static constexpr int kBits = 11;  // bits of the key per pass
  static constexpr std::size_t kBins = std::size_t{1} << kBits;
  static constexpr std::size_t kSorted = 256;  // bins this small are sorted instead

  template <class Member, class Weight>
  std::size_t narrow(std::span<const float> keys, const Weight& weight, std::size_t n,
                     const Member& member, int shift, double mass, double& sum) noexcept;
  template <class Weight>
  Cut find(std::span<const float> keys, const Weight& weight, double mass) noexcept;
  // The bin in which `sum` reaches `mass`, or else the last one. Adds the bins above it to `sum`.
  std::size_t bin_of(double mass, double& sum) const noexcept;
  template <class Weight>
  Cut walk(std::span<const float> keys, const Weight& weight, std::size_t n, double mass,
           double sum) noexcept;

  // Neighbouring members add to different copies, so that one addition need not wait for the other.
  std::array<std::array<double, kBins>, 2> bins_{};
  std::unique_ptr<std::uint32_t[]> members_;  // [n_most], the members of the bin, in order
};

}  // namespace confab::engine
