// SPDX-License-Identifier: MIT
// Finds how far down a set one has to go for a number of its members, or for a part of its weight,
// without sorting it: by a histogram over the leading bits of the keys, and again over the next
// ones within the bin where the end is. Three passes at most, whatever the keys are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace confab::engine {

// Those with a key above `bar`, and of those that have it the first n_equal.
struct Cut {
  float bar;
  std::size_t n_equal;
};

class Selection {
 public:
  // For sets of up to n_most.
  explicit Selection(std::size_t n_most);

  // The k with the greatest keys, of equal ones the first; 0 < k <= keys.size(). No key is NaN.
  Cut first(std::span<const float> keys, std::size_t k) noexcept;
  // The fewest from the greatest key down, of equal ones the first, that weigh `mass` together; at
  // least one that weighs something. All of them where they weigh less. weights [n], from 0 on.
  Cut reach(std::span<const float> keys, std::span<const float> weights, double mass) noexcept;

 private:
  static constexpr int kBits = 11;  // of the keys, a pass
  static constexpr std::size_t kBins = std::size_t{1} << kBits;
  static constexpr std::size_t kSorted = 256;  // members of a bin that are rather sorted

  template <class Member, class Weight>
  std::size_t narrow(std::span<const float> keys, const Weight& weight, std::size_t n,
                     const Member& member, int shift, double mass, double& sum) noexcept;
  template <class Weight>
  Cut find(std::span<const float> keys, const Weight& weight, double mass) noexcept;
  // The bin in which `sum` reaches `mass`, else the last one; adds to `sum` those above it.
  std::size_t bin_of(double mass, double& sum) const noexcept;
  template <class Weight>
  Cut walk(std::span<const float> keys, const Weight& weight, std::size_t n, double mass,
           double sum) noexcept;

  // Neighbours add to different copies, so that one addition need not wait for the other.
  std::array<std::array<double, kBins>, 2> bins_{};
  std::unique_ptr<std::uint32_t[]> members_;  // [n_most], of the bin, in order
};

}  // namespace confab::engine
