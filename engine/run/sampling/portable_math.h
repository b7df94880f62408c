// SPDX-License-Identifier: MIT
// Functions that give the same bits on every machine, which the standard library's do not: only
// additions, multiplications and divisions, which IEEE 754 rounds alike everywhere.
#pragma once

namespace confab::engine {

// e^x for x up to 709; 0 below -708. Within 1e-14 of it, relatively.
double portable_exp(double x) noexcept;
// The natural logarithm of a normal x > 0, within 1e-15 of it.
double portable_log(double x) noexcept;
double portable_log2(double x) noexcept;
// base^exponent for base >= 0; at most 1e300.
double portable_pow(double base, double exponent) noexcept;

}  // namespace confab::engine
