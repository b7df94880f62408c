// SPDX-License-Identifier: MIT
// Exponential functions and the hyperbolic tangent on a vector of the vocabulary S.
#pragma once

namespace confab::kernels::generic {

// e^x, accurate to about one unit in the last place, including subnormal results. Returns 0 for
// -infinity, infinity above 88.73, and NaN for NaN. x = n ln 2 + r with |r| <= ln 2 / 2. The Taylor
// series of e^r up to r^7 has an error below r^8 / 8! = 5.2e-9. ln 2 is split in two parts; the
// first has so few bits that its product with n is exact.
template <class S>
typename S::F exp(typename S::F x) noexcept {
  using F = typename S::F;
  x = S::min(S::set1(89.0F), S::max(S::set1(-105.0F), x));
  const F n = S::round(S::mul(x, S::set1(0x1.715476p+0F)));
  F r = S::fnma(n, S::set1(0x1.62e4p-1F), x);
  r = S::fnma(n, S::set1(0x1.7f7d1cp-20F), r);
  F p = S::set1(1.0F / 5040);
  p = S::fma(p, r, S::set1(1.0F / 720));
  p = S::fma(p, r, S::set1(1.0F / 120));
  p = S::fma(p, r, S::set1(1.0F / 24));
  p = S::fma(p, r, S::set1(1.0F / 6));
  p = S::fma(p, r, S::set1(0.5F));
  p = S::fma(p, r, S::set1(1.0F));
  p = S::fma(p, r, S::set1(1.0F));
  return S::mul_pow2(p, n);
}

// 2^x for x <= 1, with a relative error of 1.6e-7. Returns 0 below -150 and NaN for NaN. Among
// polynomials of degree 5 with p(0) = 1, this one has the smallest maximum relative error on [-1/2,
// 1/2], 9.1e-8. It was found by iteratively reweighted least squares (Lawson's algorithm).
template <class S>
typename S::F exp2(typename S::F x) noexcept {
  using F = typename S::F;
  x = S::max(S::set1(-151.0F), x);
  const F n = S::round(x), r = S::sub(x, n);
  F p = S::set1(0x1.5bba14p-10F);
  p = S::fma(p, r, S::set1(0x1.3cea88p-7F));
  p = S::fma(p, r, S::set1(0x1.c6b752p-5F));
  p = S::fma(p, r, S::set1(0x1.ebf9bcp-3F));
  p = S::fma(p, r, S::set1(0x1.62e42ap-1F));
  p = S::fma(p, r, S::set1(1.0F));
  return S::mul_pow2(p, n);
}

// e^x - 1 for |x| <= 20, accurate to about two units in the last place even near zero. With x = n
// ln 2 + r as in exp(), it is 2^n (e^r - 1) + (2^n - 1), and the series of e^r - 1 starts with r
// itself.
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

// tanh x = (e^2x - 1) / (e^2x + 1), accurate to a few units in the last place everywhere; NaN for
// NaN. Beyond |x| = 10 the result is 1 or -1.
template <class S>
typename S::F tanh(typename S::F x) noexcept {
  using F = typename S::F;
  const F clamped = S::min(S::set1(10.0F), S::max(S::set1(-10.0F), x));
  const F t = expm1<S>(S::add(clamped, clamped));
  return S::div(t, S::add(t, S::set1(2.0F)));
}

}  // namespace confab::kernels::generic
