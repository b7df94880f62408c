// SPDX-License-Identifier: MIT
// The hyperbolic tangent on a vector of the vocabulary S.
#pragma once

namespace confab::kernels::generic {

// e^x - 1 for |x| <= 20, to about two units in the last place also near zero: with x = n ln 2 + r
// as in exp(), it is 2^n (e^r - 1) + (2^n - 1), and the series of e^r - 1 starts with r itself.
template <class S>
typename S::F expm1(typename S::F x) noexcept {
  using F = typename S::F;
  const F n = S::round(S::mul(x, S::set1(0x1.715476p+0F)));
  F r = S::fnma(n, S::set1(0x1.62e4p-1F), x);
  r = S::fnma(n, S::set1(0x1.7f7d1cp-20F), r);
  F p = S::set1(1.0F / 40320);
  p = S::fma(p, r, S::set1(1.0F / 5040));
  p = S::fma(p, r, S::set1(1.0F / 720));
  p = S::fma(p, r, S::set1(1.0F / 120));
  p = S::fma(p, r, S::set1(1.0F / 24));
  p = S::fma(p, r, S::set1(1.0F / 6));
  p = S::fma(p, r, S::set1(0.5F));
  p = S::fma(S::mul(p, r), r, r);
  const F pow2 = S::mul_pow2(S::set1(1.0F), n);
  return S::fma(pow2, p, S::sub(pow2, S::set1(1.0F)));
}

// tanh x = (e^2x - 1) / (e^2x + 1), to a few units in the last place everywhere; NaN for NaN.
// Beyond |x| = 10 it is 1 or -1.
template <class S>
typename S::F tanh(typename S::F x) noexcept {
  using F = typename S::F;
  const F clamped = S::min(S::set1(10.0F), S::max(S::set1(-10.0F), x));
  const F t = expm1<S>(S::add(clamped, clamped));
  return S::div(t, S::add(t, S::set1(2.0F)));
}

}  // namespace confab::kernels::generic
