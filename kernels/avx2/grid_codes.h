// SPDX-License-Identifier: MIT
// Codes of types that generic/weight_types.h unpacks by way of memory. put(type of block, block, q)
// writes the 256 weights of a block as signed bytes. Grid entries are loaded as 8 or 4 bytes;
// everything else works on 32 weights at a time.
#pragma once

#include "kernels/avx2/codes.h"
#include "kernels/avx2/simd.h"
#include "kernels/block_iq.h"
#include "kernels/iq_grids.h"

namespace confab::kernels {
namespace {

struct GridCodes {
  static void put(Of<BlockIQ2_XXS>, const std::byte* block, std::int8_t* q) noexcept {
    const std::byte* qs = block + offsetof(BlockIQ2_XXS, qs);
    for (int j = 0; j < 8; ++j, qs += 8, q += 32) {
      const auto index = load_as<std::uint32_t>(qs);
      const __m256i grid =
          four(kIq2XxsGrid, index & 255, index >> 8 & 255, index >> 16 & 255, index >> 24);
      put_signed(grid, even_signs(load_as<std::uint32_t>(qs + 4)), q);
    }
  }
  static void put(Of<BlockIQ2_XS>, const std::byte* block, std::int8_t* q) noexcept {
    const std::byte* qs = block + offsetof(BlockIQ2_XS, qs);
    for (int j = 0; j < 8; ++j, qs += 8, q += 32) {
      const auto four_words = load_as<std::uint64_t>(qs);
      const auto index = [&](int i) { return four_words >> 16 * i & 511; };
      const auto sign = [&](int i) { return (four_words >> (16 * i + 9) & 127) << 7 * i; };
      put_signed(four(kIq2XsGrid, index(0), index(1), index(2), index(3)),
                 even_signs(static_cast<std::uint32_t>(sign(0) | sign(1) | sign(2) | sign(3))), q);
    }
  }
  static void put(Of<BlockIQ2_S>, const std::byte* block, std::int8_t* q) noexcept {
    for (int j = 0; j < 8; ++j, q += 32) {
      const auto low = load_as<std::uint32_t>(block + offsetof(BlockIQ2_S, qs) + 4 * j);
      const auto high = std::to_integer<std::uint32_t>(block[offsetof(BlockIQ2_S, qh) + index(j)]);
      const auto at = [&](int i) { return (low >> 8 * i & 255) | (high >> 2 * i & 3) << 8; };
      put_signed(four(kIq2SGrid, at(0), at(1), at(2), at(3)),
                 load_as<std::uint32_t>(block + offsetof(BlockIQ2_S, signs) + 4 * j), q);
    }
  }
  static void put(Of<BlockIQ3_XXS>, const std::byte* block, std::int8_t* q) noexcept {
    for (int j = 0; j < 8; ++j, q += 32) {
      const auto at = load_as<std::uint64_t>(block + offsetof(BlockIQ3_XXS, qs) + 8 * j);
      const auto rest = load_as<std::uint32_t>(block + offsetof(BlockIQ3_XXS, signs) + 4 * j);
      put_signed(eight(kIq3XxsGrid, [&](int i) { return at >> 8 * i & 255; }), even_signs(rest), q);
    }
  }
  static void put(Of<BlockIQ3_S>, const std::byte* block, std::int8_t* q) noexcept {
    for (int j = 0; j < 8; ++j, q += 32) {
      const auto low = load_as<std::uint64_t>(block + offsetof(BlockIQ3_S, qs) + 8 * j);
      const auto high = std::to_integer<std::uint64_t>(block[offsetof(BlockIQ3_S, qh) + index(j)]);
      const auto at = [&](int i) { return (low >> 8 * i & 255) | (high >> i & 1) << 8; };
      put_signed(eight(kIq3SGrid, at),
                 load_as<std::uint32_t>(block + offsetof(BlockIQ3_S, signs) + 4 * j), q);
    }
  }
  static void put(Of<BlockIQ1_S>, const std::byte* block, std::int8_t* q) noexcept {
    for (int j = 0; j < 8; ++j, q += 32) {
      const auto low = load_as<std::uint32_t>(block + offsetof(BlockIQ1_S, qs) + 4 * j);
      const unsigned qh = load_as<std::uint16_t>(block + offsetof(BlockIQ1_S, qh) + 2 * j);
      const auto at = [&](int i) { return (low >> 8 * i & 255) | (qh >> 3 * i & 7) << 8; };
      const __m256i shift = _mm256_set1_epi8((qh & 0x8000) != 0 ? -9 : -7);
      store(q, _mm256_add_epi8(four(kIq1Grid, at(0), at(1), at(2), at(3)), shift));
    }
  }
  static void put(Of<BlockIQ1_M>, const std::byte* block, std::int8_t* q) noexcept {
    for (int j = 0; j < 8; ++j, q += 32) {
      const auto low = load_as<std::uint32_t>(block + offsetof(BlockIQ1_M, qs) + 4 * j);
      const unsigned qh = load_as<std::uint16_t>(block + offsetof(BlockIQ1_M, qh) + 2 * j);
      const auto at = [&](int i) { return (low >> 8 * i & 255) | (qh >> 4 * i & 7) << 8; };
      // -9 or -7 for each 8 weights, depending on the highest bit of their half byte.
      constexpr auto kDown = static_cast<long long>(0xf7f7f7f7f7f7f7f7);
      constexpr auto kUp = static_cast<long long>(0xf9f9f9f9f9f9f9f9);
      const auto shift = [&](int i) { return (qh >> 4 * i & 8) != 0 ? kDown : kUp; };
      const __m256i shifts = _mm256_set_epi64x(shift(3), shift(2), shift(1), shift(0));
      store(q, _mm256_add_epi8(four(kIq1Grid, at(0), at(1), at(2), at(3)), shifts));
    }
  }
  static void put(Of<BlockTQ1_0>, const std::byte* block, std::int8_t* q) noexcept {
    const std::byte* qs = block + offsetof(BlockTQ1_0, qs);
    const __m256i first = Simd::load_bytes(qs);
    const __m256i second = _mm256_broadcastsi128_si256(Simd::load_16(qs + 32));
    for (int c = 0; c < 5; ++c) {
      const __m256i power = _mm256_set1_epi16(kPowers[c]);
      store(q + 32 * c, digits(first, power, power));
    }
    for (int c = 0; c < 4; c += 2) {
      const __m256i powers =
          _mm256_inserti128_si256(_mm256_set1_epi16(kPowers[c]), _mm_set1_epi16(kPowers[c + 1]), 1);
      store(q + 160 + 16 * c, digits(second, powers, powers));
    }
    // The last digit of 16 bytes, and four digits of 4 bytes.
    const auto four = load_as<std::int32_t>(block + offsetof(BlockTQ1_0, qh));
    const __m256i last = _mm256_inserti128_si256(second, _mm_set1_epi32(four), 1);
    const __m128i low = _mm_set_epi64x(0x0003000300030003, 0x0001000100010001);
    const __m128i high = _mm_set_epi64x(0x001b001b001b001b, 0x0009000900090009);
    const __m256i power = _mm256_set1_epi16(kPowers[4]);
    store(q + 224, digits(last, _mm256_inserti128_si256(power, low, 1),
                          _mm256_inserti128_si256(power, high, 1)));
  }

 private:
  static constexpr std::int16_t kPowers[5] = {1, 3, 9, 27, 81};

  static std::size_t index(int j) noexcept { return static_cast<std::size_t>(j); }
  static void store(std::int8_t* q, __m256i x) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), x);
  }
  template <class Grid>
  static __m256i four(const Grid& grid, std::size_t a, std::size_t b, std::size_t c,
                      std::size_t d) noexcept {
    const auto entry = [&](std::size_t i) { return static_cast<long long>(grid[i]); };
    return _mm256_set_epi64x(entry(d), entry(c), entry(b), entry(a));
  }
  template <class Grid, typename At>
  static __m256i eight(const Grid& grid, At at) noexcept {
    const auto entry = [&](int i) { return static_cast<int>(grid[at(i)]); };
    return _mm256_set_epi32(entry(7), entry(6), entry(5), entry(4), entry(3), entry(2), entry(1),
                            entry(0));
  }
  // Four times 7 bits, each with an eighth that makes the number of set bits even.
  static std::uint32_t even_signs(std::uint32_t bits) noexcept {
    const std::uint32_t seven =
        (bits & 0x7f) | (bits << 1 & 0x7f00) | (bits << 2 & 0x7f0000) | (bits << 3 & 0x7f000000);
    std::uint32_t parity = seven ^ seven >> 4;
    parity ^= parity >> 2;
    parity ^= parity >> 1;
    return seven | (parity & 0x01010101) << 7;
  }
  // Negates weight i if bit i of `negative` is set.
  static void put_signed(__m256i magnitudes, std::uint32_t negative, std::int8_t* q) noexcept {
    const __m256i byte_of =
        _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0);
    const __m256i bit_of = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
    const __m256i bits =
        _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(negative)), byte_of);
    const __m256i mask = _mm256_cmpeq_epi8(_mm256_and_si256(bits, bit_of), bit_of);
    store(q, _mm256_sub_epi8(_mm256_xor_si256(magnitudes, mask), mask));
  }
  // The base-3 digits of bytes, minus 1: the fraction of each byte times a power of 3. The powers
  // are given for the low and the high 8 bytes of each half.
  static __m256i digits(__m256i bytes, __m256i low_power, __m256i high_power) noexcept {
    const __m256i zero = _mm256_setzero_si256();
    const auto digit = [&](__m256i words, __m256i power) {
      const __m256i fraction =
          _mm256_and_si256(_mm256_mullo_epi16(words, power), _mm256_set1_epi16(255));
      return _mm256_srli_epi16(_mm256_add_epi16(fraction, _mm256_add_epi16(fraction, fraction)), 8);
    };
    const __m256i both = _mm256_packus_epi16(digit(_mm256_unpacklo_epi8(bytes, zero), low_power),
                                             digit(_mm256_unpackhi_epi8(bytes, zero), high_power));
    return _mm256_sub_epi8(both, _mm256_set1_epi8(1));
  }
};

struct AllCodes : Codes, GridCodes {};

}  // namespace
}  // namespace confab::kernels
