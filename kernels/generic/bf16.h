// SPDX-License-Identifier: MIT
// Products of bf16 for instruction sets without an instruction for them, over the vocabulary S,
// which includes this file.
#pragma once

namespace confab::kernels::generic {

// S::dot_bf16() by way of f32: the high word of each lane first, then the low one.
template <class S>
static typename S::F dot_bf16_as_f32(typename S::F sum, typename S::F a, typename S::F b) noexcept {
  const auto w = S::bits(a), x = S::bits(b), high = S::set1_i(0xffff0000U);
  sum = S::fma(S::from_bits(S::and_(w, high)), S::from_bits(S::and_(x, high)), sum);
  return S::fma(S::from_bits(S::template shift_left<16>(w)),
                S::from_bits(S::template shift_left<16>(x)), sum);
}

}  // namespace confab::kernels::generic
