// SPDX-License-Identifier: MIT
// The vocabulary of generic/ in AVX-512 F, BW, VL, DQ and VNNI. Only avx512/*.cpp include it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/block.h"
#include "kernels/generic/bf16.h"

namespace confab::kernels {
namespace {

// Reads the scales of a row's blocks.
struct SimdOfBlocks {
  // Lane b is the f16, word or byte at p + Stride::at(b), for b < n. Strides of f16 and words must
  // be even. Bytes are read as whole words.
  template <class Stride>
  static __m512 read_f16(const std::byte* p, int n) noexcept {
    return _mm512_cvtph_ps(read_u16<Stride>(p, n));
  }
  template <class Stride>
  static __m256i read_u16(const std::byte* p, int n) noexcept {
    static constexpr StridedWords<Stride> kAt{};
    const __m512i index =
        _mm512_castsi256_si512(_mm256_load_si256(reinterpret_cast<const __m256i*>(kAt.index)));
    const int n_words = Stride::at(n - 1) / 2 + 1;
    __m512i words = _mm512_setzero_si512();
    for (int pair = 0; pair < kAt.kPairs; ++pair) {
      const __m512i low = load_words(p + 128 * pair, n_words - 64 * pair);
      const __m512i high = load_words(p + 128 * pair + 64, n_words - 64 * pair - 32);
      words =
          _mm512_or_si512(words, _mm512_maskz_permutex2var_epi16(kAt.mask[pair], low, index, high));
    }
    return _mm512_castsi512_si256(words);
  }
  template <class Stride>
  static __m512i read_u8(const std::byte* p, int n) noexcept {
    static constexpr StridedWords<Stride> kAt{};
    const __m512i words = _mm512_cvtepu16_epi32(read_u16<Stride>(p, n));
    return _mm512_and_si512(_mm512_srlv_epi32(words, _mm512_load_si512(kAt.shift)),
                            _mm512_set1_epi32(255));
  }
  // The f16 d[0] in the first eight lanes and d[1] in the others.
  static __m512 f16_eights(const std::uint16_t d[2]) noexcept {
    const auto all = [](std::uint16_t h) { return _mm_set1_epi16(static_cast<std::int16_t>(h)); };
    return _mm512_cvtph_ps(
        _mm256_inserti128_si256(_mm256_castsi128_si256(all(d[0])), all(d[1]), 1));
  }
  // One byte per lane, starting with the lowest byte of the first number.
  static __m512i widen_bytes(const std::uint64_t bytes[2]) noexcept {
    return _mm512_cvtepu8_epi32(
        _mm_set_epi64x(static_cast<std::int64_t>(bytes[1]), static_cast<std::int64_t>(bytes[0])));
  }
  // Signed bytes: the even ones and the odd ones.
  static void byte_pairs(const std::uint64_t bytes[4], __m512i& even, __m512i& odd) noexcept {
    const __m256i x =
        _mm256_set_epi64x(static_cast<std::int64_t>(bytes[3]), static_cast<std::int64_t>(bytes[2]),
                          static_cast<std::int64_t>(bytes[1]), static_cast<std::int64_t>(bytes[0]));
    even = _mm512_cvtepi16_epi32(_mm256_srai_epi16(_mm256_slli_epi16(x, 8), 8));
    odd = _mm512_cvtepi16_epi32(_mm256_srai_epi16(x, 8));
  }
  // The scales and minimums of two blocks of Q4_K or Q5_K (unpack_scales_k4() in block.h),
  // multiplied by their d and dmin. All of these are in the first 16 bytes of a block.
  static void scales_k4(const std::byte* const blocks[2], __m512& scale, __m512& min) noexcept {
    const __m256i heads =
        _mm256_inserti128_si256(_mm256_castsi128_si256(head(blocks[0])), head(blocks[1]), 1);
    // Words: low six bits of a, halves of c, low six bits of b, other halves of c.
    const __m256i picked = _mm256_shuffle_epi32(heads, 0b11101101);
    const __m256i shifted = _mm256_srlv_epi32(picked, _mm256_setr_epi32(0, 0, 0, 4, 0, 0, 0, 4));
    const __m256i six = _mm256_setr_epi32(0x3f3f3f3f, 0x0f0f0f0f, 0x3f3f3f3f, 0x0f0f0f0f,
                                          0x3f3f3f3f, 0x0f0f0f0f, 0x3f3f3f3f, 0x0f0f0f0f);
    const __m256i top = _mm256_srli_epi32(_mm256_shuffle_epi32(heads, 0b10100101), 2);
    const __m256i two =
        _mm256_setr_epi32(0, 0x30303030, 0, 0x30303030, 0, 0x30303030, 0, 0x30303030);
    const __m256i bytes =
        _mm256_or_si256(_mm256_and_si256(shifted, six), _mm256_and_si256(top, two));
    const __m256i sorted = _mm256_permute4x64_epi64(bytes, 0xd8);
    const __m256i ds =
        _mm256_permutevar8x32_epi32(heads, _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4));
    const __m512 of = _mm512_castps128_ps512(_mm_cvtph_ps(_mm256_castsi256_si128(ds)));
    const __m512i d = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2);
    const __m512i dmin = _mm512_setr_epi32(1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3);
    scale = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm256_castsi256_si128(sorted))),
                          _mm512_permutexvar_ps(d, of));
    min =
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm256_extracti128_si256(sorted, 1))),
                      _mm512_permutexvar_ps(dmin, of));
  }

 private:
  static __m128i head(const std::byte* block) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(block));
  }
  // For each of 16 lanes, the word in which its byte starts, as an index into pairs of vectors of
  // 32 words, and the bit of the word.
  template <class Stride>
  struct StridedWords {
    constexpr StridedWords() noexcept {
      for (int i = 0; i < 16; ++i) {
        const int word = Stride::at(i) / 2;
        index[i] = static_cast<std::uint16_t>(word % 64);
        mask[word / 64] |= 1U << i;
        shift[i] = Stride::at(i) % 2 * 8;
      }
    }
    static constexpr int kPairs = Stride::at(15) / 128 + 1;
    alignas(64) std::int32_t shift[16] = {};
    alignas(32) std::uint16_t index[16] = {};
    std::uint32_t mask[kPairs] = {};
  };
  // The first n words, at most 32. n may be 0 or less.
  static __m512i load_words(const std::byte* p, int n) noexcept {
    if (n >= 32) return _mm512_loadu_si512(p);
    return _mm512_maskz_loadu_epi16(n <= 0 ? 0 : (1U << n) - 1U, p);
  }
};

// Reads from 16 rows side by side.
struct SimdOfRows {
  static __m256i load_half(const std::byte* p) noexcept {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static __m128i load_quarter(const std::byte* p) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }

  // v[i] holds the 16 bytes of rows i, 4 + i, 8 + i and 12 + i, so that transposing quarters leaves
  // them in order.
  [[gnu::always_inline]] static void gather_quarters(const std::byte* const rows[16],
                                                     std::size_t offset, __m512i v[4]) noexcept {
    for (int i = 0; i < 4; ++i) {
      __m512i x = _mm512_castsi128_si512(load_quarter(rows[i] + offset));
      x = _mm512_inserti32x4(x, load_quarter(rows[4 + i] + offset), 1);
      x = _mm512_inserti32x4(x, load_quarter(rows[8 + i] + offset), 2);
      v[i] = _mm512_inserti32x4(x, load_quarter(rows[12 + i] + offset), 3);
    }
  }
  // Lane r is the f16 at rows[r] + offset. Uses two chains of insertions, because data stored in
  // small parts cannot be loaded as a whole without a stall.
  static __m512 gather_f16(const std::byte* const rows[16], std::size_t offset) noexcept {
    const __m128i low = gather_8(rows, offset), high = gather_8(rows + 8, offset);
    return _mm512_cvtph_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
  }
  // The same for the first or the last f16 of the 16 bytes there.
  template <bool kFirst>
  static __m512 gather_f16_of_16(const std::byte* const rows[16], std::size_t offset) noexcept {
    __m512i v[4];
    gather_quarters(rows, offset, v);
    __m512i quads;  // rows 4q to 4q + 3, in each quarter
    if constexpr (kFirst) {
      const __m512i a = _mm512_unpacklo_epi16(v[0], v[1]), b = _mm512_unpacklo_epi16(v[2], v[3]);
      quads = _mm512_unpacklo_epi32(a, b);
    } else {
      const __m512i a = _mm512_unpackhi_epi16(v[0], v[1]), b = _mm512_unpackhi_epi16(v[2], v[3]);
      quads = _mm512_unpackhi_epi32(a, b);
    }
    const __m512i order = kFirst ? _mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6)
                                 : _mm512_setr_epi64(1, 3, 5, 7, 1, 3, 5, 7);
    return _mm512_cvtph_ps(_mm512_castsi512_si256(_mm512_permutexvar_epi64(order, quads)));
  }
  // Lane r is the byte at rows[r] + offset.
  static __m512i gather_u8(const std::byte* const rows[16], std::size_t offset) noexcept {
    const auto at = [&](int r) { return std::to_integer<char>(rows[r][offset]); };
    return _mm512_cvtepu8_epi32(_mm_setr_epi8(at(0), at(1), at(2), at(3), at(4), at(5), at(6),
                                              at(7), at(8), at(9), at(10), at(11), at(12), at(13),
                                              at(14), at(15)));
  }

 private:
  static __m128i gather_8(const std::byte* const rows[8], std::size_t offset) noexcept {
    const auto at = [&](int r) { return load_as<std::int16_t>(rows[r] + offset); };
    return _mm_setr_epi16(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
  }
};

// Converts codes of weights to f32.
struct SimdOfCodes {
  // The halves of bytes, low half first.
  static __m512 load_u4(const std::byte* p) noexcept {
    return _mm512_cvtepi32_ps(_mm512_and_si512(shifted_halves(p), _mm512_set1_epi32(15)));
  }
  // The same as E2M1, doubled (kE2M1Doubled in block.h).
  static __m512 load_e2m1(const std::byte* p) noexcept {
    const __m512 numbers = _mm512_setr_ps(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
    // the lowest four bits select the number
    return _mm512_permutexvar_ps(shifted_halves(p), numbers);
  }
  static __m512 load_u8(const std::byte* p) noexcept {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(load_quarter_of(p)));
  }
  // E4M3 (e4m3_to_f32() in block.h) times 1/256.
  static __m512 load_e4m3(const std::byte* p) noexcept {
    // The sign appears twice, in the highest bit and the next.
    const __m256i words = _mm256_slli_epi16(_mm256_cvtepi8_epi16(load_quarter_of(p)), 7);
    return _mm512_cvtph_ps(_mm256_and_si256(words, _mm256_set1_epi16(static_cast<short>(0xbfff))));
  }

 private:
  // Each half of eight bytes, in the lowest bits of a word.
  static __m512i shifted_halves(const std::byte* p) noexcept {
    const __m512i word = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m512i shifts =
        _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    const __m128i both = _mm_set1_epi64x(load_as<std::int64_t>(p));
    return _mm512_srlv_epi32(_mm512_permutexvar_epi32(word, _mm512_castsi128_si512(both)), shifts);
  }
  static __m128i load_quarter_of(const std::byte* p) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
};

struct Simd : SimdOfBlocks, SimdOfCodes, SimdOfRows {
  using F = __m512;   // 16 f32
  using I = __m512i;  // 16 i32
  using B = __m512i;  // 64 bytes, the codes of two blocks of 32
  using D = __m512d;  // 8 f64
  static constexpr int kLanes = 16;
  // For the panel kernel, whose integers and sums fill 24 registers.
  static constexpr int kTileVectors = 2;
  static constexpr int kTileTokens = 6;
  static constexpr int kFewTokens = 8;     // most tokens of the kernel without panels: 2, 4 or 8
  static constexpr int kDecodeTokens = 2;  // most tokens for which rows are read one after another
  static constexpr int kFloatTileTokens = 6;  // of the float kernel, with 4 rows
  // The instruction needs an unsigned operand. Signed codes are raised by this, and the sum of the
  // activations cancels it again.
  static constexpr int kSignedOffset = 128;
  static constexpr bool kHasRuns = false;  // such as products() in avx2/simd.h

  static __mmask16 mask(std::int64_t n) noexcept { return static_cast<__mmask16>((1U << n) - 1U); }

  // In assembly, because g++ 12 removes loops that contain only _mm_prefetch().
  static void prefetch(const std::byte* p) noexcept { asm volatile("prefetcht0 %0" : : "m"(*p)); }

  static void prefetch_far(const std::byte* p) noexcept {  // into the second-level cache
    asm volatile("prefetcht1 %0" : : "m"(*p));
  }

  static F zero() noexcept { return _mm512_setzero_ps(); }
  static F set1(float x) noexcept { return _mm512_set1_ps(x); }
  static F load(const float* p) noexcept { return _mm512_loadu_ps(p); }
  static F load_n(const float* p, std::int64_t n) noexcept {
    return _mm512_maskz_loadu_ps(mask(n), p);
  }
  // Any alignment.
  static F load_f32(const std::byte* p) noexcept { return _mm512_loadu_ps(p); }
  static F load_f32_n(const std::byte* p, std::int64_t n) noexcept {
    return _mm512_maskz_loadu_ps(mask(n), p);
  }
  static void store(float* p, F x) noexcept { _mm512_storeu_ps(p, x); }
  static void store_n(float* p, std::int64_t n, F x) noexcept {
    _mm512_mask_storeu_ps(p, mask(n), x);
  }
  static F add(F a, F b) noexcept { return _mm512_add_ps(a, b); }
  static F sub(F a, F b) noexcept { return _mm512_sub_ps(a, b); }
  static F mul(F a, F b) noexcept { return _mm512_mul_ps(a, b); }
  static F div(F a, F b) noexcept { return _mm512_div_ps(a, b); }
  static F fma(F a, F b, F c) noexcept { return _mm512_fmadd_ps(a, b, c); }
  static F fnma(F a, F b, F c) noexcept { return _mm512_fnmadd_ps(a, b, c); }
  // Returns b if either is NaN.
  static F max(F a, F b) noexcept { return _mm512_max_ps(a, b); }
  static F min(F a, F b) noexcept { return _mm512_min_ps(a, b); }
  // 1 where a > b, else 0.
  static F one_if_above(F a, F b) noexcept {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ), _mm512_set1_ps(1.0F));
  }
  static F abs(F x) noexcept { return _mm512_abs_ps(x); }
  static float sum(F x) noexcept { return _mm512_reduce_add_ps(x); }
  static float max(F x) noexcept { return _mm512_reduce_max_ps(x); }
  static float first(F x) noexcept { return _mm512_cvtss_f32(x); }
  static F round(F x) noexcept {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static F mul_pow2(F x, F n) noexcept { return _mm512_scalef_ps(x, n); }

  // Swaps neighbours in pairs (x0, x1).
  static F swap_pairs(F x) noexcept { return _mm512_permute_ps(x, 0xb1); }
  // Lane i of the result is lane i ^ kStride.
  template <int kStride>
  static F exchange(F x) noexcept {
    if constexpr (kStride == 1) return _mm512_permute_ps(x, 0xb1);
    if constexpr (kStride == 2) return _mm512_permute_ps(x, 0x4e);
    if constexpr (kStride == 4) return _mm512_shuffle_f32x4(x, x, 0xb1);
    if constexpr (kStride == 8) return _mm512_shuffle_f32x4(x, x, 0x4e);
  }
  // 8 floats, each twice.
  static F load_twice(const float* p) noexcept {
    const __m512i twice = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    return _mm512_permutexvar_ps(twice, _mm512_castps256_ps512(_mm256_loadu_ps(p)));
  }
  // a * b - c in the first lane of each pair, a * b + c in the second.
  static F fmaddsub(F a, F b, F c) noexcept { return _mm512_fmaddsub_ps(a, b, c); }

  static D zero_d() noexcept { return _mm512_setzero_pd(); }
  static double sum(D x) noexcept { return _mm512_reduce_add_pd(x); }
  static D low(F x) noexcept { return _mm512_cvtps_pd(_mm512_castps512_ps256(x)); }
  static D high(F x) noexcept { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)); }
  static D add(D a, D b) noexcept { return _mm512_add_pd(a, b); }
  static D fma(D a, D b, D c) noexcept { return _mm512_fmadd_pd(a, b, c); }

  static F load_f16(const std::byte* p) noexcept {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static F load_f16_n(const std::byte* p, std::int64_t n) noexcept {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask(n), p));
  }
  static F load_bf16(const std::byte* p) noexcept { return widen_bf16(load_half(p)); }
  static F load_bf16_n(const std::byte* p, std::int64_t n) noexcept {
    return widen_bf16(_mm256_maskz_loadu_epi16(mask(n), p));
  }
  static F load_i8(const std::byte* p) noexcept {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load_quarter(p)));
  }
  static void store_f16(std::byte* p, F x) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  // Rounds like f32_to_bf16().
  static void store_bf16(std::byte* p, F x) noexcept {
    const __m512i b = _mm512_castps_si512(x), high = _mm512_srli_epi32(b, 16);
    const __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
    __m512i h = _mm512_add_epi32(b, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    h = _mm512_srli_epi32(h, 16);
    h = _mm512_mask_or_epi32(h, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), high,
                             _mm512_set1_epi32(0x40));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(h));
  }
  // Rounds to nearest, ties to even; |x| < 2^31.
  static I to_i32(F x) noexcept { return _mm512_cvtps_epi32(x); }
  // Stores the low byte of each lane.
  static void store_i8(std::byte* p, I x) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(x));
  }
  static int sum(I x) noexcept { return _mm512_reduce_add_epi32(x); }
  static I load_i32(const std::int32_t* p) noexcept { return _mm512_loadu_si512(p); }
  // a and b hold pairs side by side. Returns their first and their second numbers.
  static void deinterleave(F a, F b, F& first, F& second) noexcept {
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    first = _mm512_permutex2var_ps(a, even, b);
    second = _mm512_permutex2var_ps(a, _mm512_or_si512(even, _mm512_set1_epi32(1)), b);
  }

  static I zero_i() noexcept { return _mm512_setzero_si512(); }
  static I set1_i(std::uint32_t x) noexcept {
    return _mm512_set1_epi32(static_cast<std::int32_t>(x));
  }
  static I add(I a, I b) noexcept { return _mm512_add_epi32(a, b); }
  static I and_(I a, I b) noexcept { return _mm512_and_si512(a, b); }
  static I or_(I a, I b) noexcept { return _mm512_or_si512(a, b); }
  template <unsigned kBits>
  static I shift_right(I x) noexcept {
    return _mm512_srli_epi32(x, kBits);
  }
  static I shift_right(I x, int n) noexcept { return _mm512_srl_epi32(x, _mm_cvtsi32_si128(n)); }
  template <unsigned kBits>
  static I shift_left(I x) noexcept {
    return _mm512_slli_epi32(x, kBits);
  }
  // x, or 0 where a and b are equal.
  static F zero_where_equal(F x, I a, I b) noexcept {
    return _mm512_maskz_mov_ps(_mm512_cmpneq_epi32_mask(a, b), x);
  }
  static I shift_right_signed_24(I x) noexcept { return _mm512_srai_epi32(x, 24); }
  // Reinterpret the 32 bits of each lane.
  static I bits(F x) noexcept { return _mm512_castps_si512(x); }
  static F from_bits(I x) noexcept { return _mm512_castsi512_ps(x); }
  static F to_f32(I x) noexcept { return _mm512_cvtepi32_ps(x); }
  static float f16_to_f32(std::uint16_t h) noexcept { return _cvtsh_ss(h); }
  // Converts the f16 in the low 16 bits of each lane.
  static F f16_to_f32(I x) noexcept { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x)); }

  // Adds to each lane the products of its two bf16. Subnormal values may count as zero.
  static F dot_bf16(F sum, F a, F b) noexcept { return generic::dot_bf16_as_f32<Simd>(sum, a, b); }

  static B load_bytes(const std::byte* p) noexcept { return _mm512_loadu_si512(p); }
  static B load_low_block(const std::byte* p) noexcept {  // the upper 32 bytes are zero
    return _mm512_zextsi256_si512(load_half(p));
  }
  static void store_bytes(std::byte* p, B x) noexcept { _mm512_storeu_si512(p, x); }
  // The four bytes at p, in every lane.
  static B broadcast4(const std::byte* p) noexcept {
    return _mm512_set1_epi32(load_as<std::int32_t>(p));
  }
  // values[code] for bytes that are codes.
  static B look_up(const std::int8_t values[16], B codes) noexcept {
    const __m128i table = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), codes);
  }
  // Adds to each lane the products of its four bytes: unsigned codes times signed activations.
  static I dot(I sum, B codes, B x) noexcept { return _mm512_dpbusd_epi32(sum, codes, x); }
  // Raises signed codes by kSignedOffset, as dot_signed() expects. Adding 128 to a byte inverts its
  // highest bit.
  static B raise_signed(B codes) noexcept {
    return _mm512_xor_si512(codes, _mm512_set1_epi8(-128));
  }
  static I dot_signed(I sum, B codes, B x) noexcept { return dot(sum, codes, x); }
  // The same with the four bytes at p in every lane. One instruction; g++ 12 would use two.
  static I dot_at(I sum, B codes, const std::byte* p) noexcept {
    using Word [[gnu::may_alias]] = std::int32_t;
    const Word& word = *reinterpret_cast<const Word*>(p);
    asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(codes), "m"(word));
    return sum;
  }
  // sum + factor times the number at p, in every lane. Both are signed 16-bit numbers.
  static I add_multiple_at(I sum, int factor, const std::byte* p) noexcept {
    const I low = set1_i(static_cast<std::uint32_t>(factor) & 0xffffU);
    using Word [[gnu::may_alias]] = std::int32_t;
    const Word& word = *reinterpret_cast<const Word*>(p);
    asm("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(low), "m"(word));
    return sum;
  }

  // v holds 16 blocks in memory order. Lane b of the result is the sum over block b.
  static void dots_of_blocks(const I v[8], I out[1]) noexcept {
    const I a = sum_quads(v), b = sum_quads(v + 4);
    out[0] = in_order(add_quarters(a, b));
  }
  // The same over the first and the second halves of blocks.
  static void dots_of_half_blocks(const I v[8], I out[2]) noexcept {
    const I a = sum_quads(v), b = sum_quads(v + 4);
    out[0] = in_order(_mm512_shuffle_i32x4(a, b, 0x88));
    out[1] = in_order(_mm512_shuffle_i32x4(a, b, 0xdd));
  }
  // The same if quarter q of v[i] belongs to block 4i + q.
  static void dots_of_quarters(const I v[4], I out[1]) noexcept {
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    out[0] = _mm512_permutexvar_epi32(order, sum_quads(v));
  }
  // The sums or maxima of 16 vectors; lane i is that of v[i].
  static F sums(const F v[16]) noexcept {
    return fold(v, [](F a, F b) { return add(a, b); });
  }
  static F maxima(const F v[16]) noexcept {
    return fold(v, [](F a, F b) { return max(a, b); });
  }

  static void sums_of_4(const F v[4], float out[4]) noexcept {
    const F a = fold_quads(v, [](F x, F y) { return add(x, y); });
    const __m256 b = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(b), _mm256_extractf128_ps(b, 1)));
  }

  // Lane r of out[i] is word i of the 16 bytes at rows[r] + offset.
  [[gnu::always_inline]] static void gather_words(const std::byte* const rows[16],
                                                  std::size_t offset, I out[4]) noexcept {
    I v[4];
    gather_quarters(rows, offset, v);
    transpose_quads(v, out);
  }
  // Lane r of the new v[i] is lane i of the old v[r].
  static void transpose(I v[16]) noexcept {
    I t[16];
    for (int i = 0; i < 4; ++i) {  // t[4i + w]: word w of each quarter of rows 4i .. 4i + 3
      transpose_quads(v + 4 * i, t + 4 * i);
    }
    for (int w = 0; w < 4; ++w) {  // word w of quarter q becomes v[4q + w]
      transpose_quarters(t[w], t[4 + w], t[8 + w], t[12 + w], v + w, 4);
    }
  }

  // Lane i of the new v[k] holds byte 16 k + i of each old vector, that of v[0] lowest.
  static void interleave_bytes(I v[4]) noexcept {
    const I a = _mm512_unpacklo_epi8(v[0], v[1]), b = _mm512_unpacklo_epi8(v[2], v[3]);
    const I c = _mm512_unpackhi_epi8(v[0], v[1]), d = _mm512_unpackhi_epi8(v[2], v[3]);
    const I t0 = _mm512_unpacklo_epi16(a, b), t1 = _mm512_unpackhi_epi16(a, b);
    const I t2 = _mm512_unpacklo_epi16(c, d), t3 = _mm512_unpackhi_epi16(c, d);
    transpose_quarters(t0, t1, t2, t3, v, 1);
  }
  // Stores the higher and the lower 7 bits of 64 numbers below 2^14.
  static void store_parts(const I v[4], std::byte* high, std::byte* low) noexcept {
    const I a = _mm512_packs_epi32(v[0], v[1]), b = _mm512_packs_epi32(v[2], v[3]);
    const I seven = _mm512_set1_epi16(127);
    const I upper = _mm512_packus_epi16(_mm512_srli_epi16(a, 7), _mm512_srli_epi16(b, 7));
    const I lower = _mm512_packus_epi16(and_(a, seven), and_(b, seven));
    const I order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    store_bytes(high, _mm512_permutexvar_epi32(order, upper));
    store_bytes(low, _mm512_permutexvar_epi32(order, lower));
  }

  // Attention. kAttentionVectors: vectors of a register tile that has six rows. kAttentionDots:
  // whether two sums of byte products are faster than one of f32 products; dot() must then accept
  // the result of raise_signed().
  static constexpr int kAttentionVectors = 4;
  static constexpr bool kAttentionDots = true;
  // dot() for many sums at once, as an explicit instruction. After every use of the intrinsic, g++
  // 12 copies and stores each sum, which takes twice the time.
  static I dot_of_many(I sum, B codes, B x) noexcept {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(codes), "v"(x));
    return sum;
  }
  // Marks a loaded value that is used many times. Otherwise g++ 12 repeats the load instead of
  // using more than 16 registers.
  static B kept(B x) noexcept {
    asm("" : "+v"(x));
    return x;
  }
  static B load_kept(const std::byte* p) noexcept {
    B x = _mm512_loadu_si512(p);
    asm("" : "+v"(x));
    return x;
  }

 private:
  static F widen_bf16(__m256i h) noexcept {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
  }
  // In each quarter of the result, lane i is the sum of that quarter of v[i].
  static I sum_quads(const I v[4]) noexcept {
    const I a = add(_mm512_unpacklo_epi32(v[0], v[1]), _mm512_unpackhi_epi32(v[0], v[1]));
    const I b = add(_mm512_unpacklo_epi32(v[2], v[3]), _mm512_unpackhi_epi32(v[2], v[3]));
    return add(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
  }
  template <class Op>
  static F fold_quads(const F v[4], Op op) noexcept {
    const F a = op(_mm512_unpacklo_ps(v[0], v[1]), _mm512_unpackhi_ps(v[0], v[1]));
    const F b = op(_mm512_unpacklo_ps(v[2], v[3]), _mm512_unpackhi_ps(v[2], v[3]));
    return op(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xee));
  }
  template <class Op>
  static F fold(const F v[16], Op op) noexcept {
    F a[4];
    for (int i = 0; i < 4; ++i) a[i] = fold_quads(v + 4 * i, op);
    const auto halves = [&](F x, F y) {
      return op(_mm512_shuffle_f32x4(x, y, 0x88), _mm512_shuffle_f32x4(x, y, 0xdd));
    };
    return halves(halves(a[0], a[1]), halves(a[2], a[3]));
  }
  // Reorders each half to lanes 0 4 1 5 2 6 3 7.
  static I in_order(I x) noexcept {
    const __m512i order = _mm512_set_epi32(15, 11, 14, 10, 13, 9, 12, 8, 7, 3, 6, 2, 5, 1, 4, 0);
    return _mm512_permutexvar_epi32(order, x);
  }
  // Quarters: a0 + a1, a2 + a3, b0 + b1, b2 + b3.
  static I add_quarters(I a, I b) noexcept {
    return add(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
  }
  // Quarter j of out[i * stride] is quarter i of the j-th.
  static void transpose_quarters(I t0, I t1, I t2, I t3, I* out, int stride) noexcept {
    const I a = _mm512_shuffle_i32x4(t0, t1, 0x44), b = _mm512_shuffle_i32x4(t2, t3, 0x44);
    const I c = _mm512_shuffle_i32x4(t0, t1, 0xee), d = _mm512_shuffle_i32x4(t2, t3, 0xee);
    out[0] = _mm512_shuffle_i32x4(a, b, 0x88);
    out[stride] = _mm512_shuffle_i32x4(a, b, 0xdd);
    out[2 * stride] = _mm512_shuffle_i32x4(c, d, 0x88);
    out[3 * stride] = _mm512_shuffle_i32x4(c, d, 0xdd);
  }
  // Transposes the 4 x 4 words in each quarter.
  [[gnu::always_inline]] static void transpose_quads(const I v[4], I out[4]) noexcept {
    const I a = _mm512_unpacklo_epi32(v[0], v[1]), b = _mm512_unpacklo_epi32(v[2], v[3]);
    const I c = _mm512_unpackhi_epi32(v[0], v[1]), d = _mm512_unpackhi_epi32(v[2], v[3]);
    out[0] = _mm512_unpacklo_epi64(a, b);
    out[1] = _mm512_unpackhi_epi64(a, b);
    out[2] = _mm512_unpacklo_epi64(c, d);
    out[3] = _mm512_unpackhi_epi64(c, d);
  }
};

// Instructions of AVX512_BF16, written by name, so that only they need it.
struct Bf16Simd : Simd {
  // Adds both products of its words to each lane.
  static F dot_bf16(F sum, F x, F y) noexcept {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    return sum;
  }
};

}  // namespace
}  // namespace confab::kernels
