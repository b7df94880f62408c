// SPDX-License-Identifier: MIT
// Codes of TQ1_0, and what makes codes or magnitudes of two blocks of 256 what grid_codes.h says.
#pragma once

#include "kernels/avx512/simd.h"
#include "kernels/block_iq.h"

namespace confab::kernels {
namespace {

// Magnitudes and masks of what is negative, M; the signs go to the activations.
template <class M>
struct Signed : M {
  static constexpr int kOffset = 0;
  using M::M;

  __m512i dot(int slice, const std::byte* x) const noexcept {
    const __m512i q = Simd::load_bytes(x);
    return Simd::dot(Simd::zero_i(), M::magnitudes(slice), negate(q, M::negative(slice)));
  }
  void put(std::int8_t* q) const noexcept {
    for (int i = 0; i < 4; ++i) {
      _mm512_storeu_si512(q + 64 * i, negate(M::magnitudes(i), M::negative(i)));
    }
  }

 private:
  static __m512i negate(__m512i x, std::uint64_t negative) noexcept {
    return _mm512_mask_sub_epi8(x, negative, _mm512_setzero_si512(), x);
  }
};

// Codes that are U::kAbove higher than the weights.
template <class U>
struct Raised : U {
  static constexpr int kOffset = U::kAbove;
  using U::U;

  __m512i dot(int slice, const std::byte* x) const noexcept {
    return Simd::dot(Simd::zero_i(), U::codes(slice), Simd::load_bytes(x));
  }
  void put(std::int8_t* q) const noexcept {
    for (int i = 0; i < 4; ++i) {
      _mm512_storeu_si512(q + 64 * i, _mm512_sub_epi8(U::codes(i), _mm512_set1_epi8(kOffset)));
    }
  }
};

struct DigitsTQ1_0 {
  static constexpr int kAbove = 1;

  explicit DigitsTQ1_0(const std::byte* const blocks[2]) noexcept {
    for (int i = 0; i < 2; ++i) {
      constexpr std::size_t kBytes = offsetof(BlockTQ1_0, d);
      __m512i power[5];  // of 3, times the bytes
      power[0] = _mm512_maskz_loadu_epi8((std::uint64_t{1} << kBytes) - 1, blocks[i]);
      for (int c = 1; c < 5; ++c) {
        power[c] = _mm512_add_epi8(power[c - 1], _mm512_add_epi8(power[c - 1], power[c - 1]));
      }
      put(power, fractions + 4 * i);
    }
  }
  // The highest digit in base 3 of fractions of 256: that of 3 x / 256, as x and half of it, half
  // of their sum and a 64th of that. All halves are rounded down, which turned bits make of an
  // instruction that rounds up.
  __m512i codes(int slice) const noexcept {
    const __m512i ones = _mm512_set1_epi8(-1);
    const __m512i x = _mm512_xor_si512(fractions[slice], ones);
    const __m512i sum = _mm512_avg_epu8(x, _mm512_avg_epu8(x, ones));
    return _mm512_andnot_si512(_mm512_srli_epi16(sum, 6), _mm512_set1_epi8(3));
  }

 private:
  // The bytes of a block in the order of their weights: 32 bytes by all powers, then 16, then 4.
  static void put(const __m512i power[5], __m512i out[4]) noexcept {
    const __m512i third = _mm512_set_epi64(13, 12, 5, 4, 13, 12, 5, 4);  // quarters a2, b2, a2, b2
    out[0] = _mm512_inserti64x4(power[0], _mm512_castsi512_si256(power[1]), 1);
    out[1] = _mm512_inserti64x4(power[2], _mm512_castsi512_si256(power[3]), 1);
    out[2] =
        _mm512_mask_mov_epi64(_mm512_permutex2var_epi64(power[0], third, power[1]), 0x0f, power[4]);
    const __m512i fours = _mm512_unpacklo_epi64(_mm512_unpacklo_epi32(power[0], power[1]),
                                                _mm512_unpacklo_epi32(power[2], power[3]));
    out[3] = _mm512_permutex2var_epi64(power[2], third, power[3]);
    out[3] = _mm512_mask_mov_epi64(out[3], 0x30, power[4]);
    out[3] = _mm512_mask_mov_epi64(out[3], 0xc0, fours);
  }

  __m512i fractions[8];
};

}  // namespace
}  // namespace confab::kernels
