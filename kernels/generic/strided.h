// SPDX-License-Identifier: MIT
// Loads values that repeat at fixed distances into lanes, over the vocabulary S of an instruction
// set.
#pragma once

#include <cstddef>

namespace confab::kernels::generic {

// The offset of something in block b of 32. Each kStride bytes contain kPer of them, kStep bytes
// apart, the first at kFirst.
template <std::size_t kStride, int kPer = 1, std::size_t kStep = 0, std::size_t kFirst = 0>
struct Stride {
  static constexpr int at(int b) noexcept {
    return static_cast<int>(kFirst) + b / kPer * static_cast<int>(kStride) +
           b % kPer * static_cast<int>(kStep);
  }
};

// Loads the f16 or byte at p + At::at(b) into lane b, for b < n. An instruction set may have a
// faster way than gathering. It may then read both bytes of each 16-bit word from p on that
// contains a value.
template <class S, class At>
struct Strided {
  static typename S::F f16(const std::byte* p, int n) noexcept {
    if constexpr (requires { S::template read_f16<At>(p, n); }) {
      return S::template read_f16<At>(p, n);
    } else {
      return S::gather_f16(Strided(p, n).lanes, 0);
    }
  }
  static typename S::I u8(const std::byte* p, int n) noexcept {
    if constexpr (requires { S::template read_u8<At>(p, n); }) {
      return S::template read_u8<At>(p, n);
    } else {
      return S::gather_u8(Strided(p, n).lanes, 0);
    }
  }

 private:
  Strided(const std::byte* p, int n) noexcept {
    for (int b = 0; b < S::kLanes; ++b) lanes[b] = p + At::at(b < n ? b : n - 1);
  }
  const std::byte* lanes[S::kLanes];
};

}  // namespace confab::kernels::generic
