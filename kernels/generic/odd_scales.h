// SPDX-License-Identifier: MIT
// The scales of the types whose blocks of 256 weight_types.h unpacks whole, as block_scales.h has
// those of the others: read() fills lane b with those of block b of 32, kSub weights each. All but
// TQ1_0's are a block's d times a small odd number, of which the file has the half.
#pragma once

#include "kernels/generic/block_scales.h"

namespace confab::kernels::generic {

// d (2 n + 1).
template <class S>
static typename S::F times_odd(typename S::F d, typename S::I n) noexcept {
  return S::mul(d, S::fma(S::to_f32(n), S::set1(2), S::set1(1)));
}

template <class S, class Block>
static typename S::F d_of(const Chunks<S, Block>& blocks, float factor) noexcept {
  return S::mul(blocks.f16(offsetof(Block, d)), S::set1(factor));
}

template <class S, class Block>
struct OddScales;

// The highest four bits of 32, which end at kEnd and are kStep bytes apart.
template <class S, class Block, std::size_t kEnd, std::size_t kStep>
struct ScalesOnTop {
  static constexpr int kSub = 32;
  static void read(const std::byte* chunks, int n_blocks, float factor,
                   typename S::F scale[1]) noexcept {
    using TopBytes = Strided<S, Stride<sizeof(Block), kChunkBlocks, kStep, 1>>;
    const auto n = S::template shift_right<4>(TopBytes::u8(chunks + kEnd - 2, n_blocks));
    scale[0] = times_odd<S>(d_of(Chunks<S, Block>(chunks, n_blocks), factor), n);
  }
};

template <class S>
struct OddScales<S, BlockIQ2_XXS>
    : ScalesOnTop<S, BlockIQ2_XXS, offsetof(BlockIQ2_XXS, qs) + 8, 8> {
  static void read(const std::byte* chunks, int n_blocks, typename S::F scale[1]) noexcept {
    OddScales::ScalesOnTop::read(chunks, n_blocks, 0.125F, scale);
  }
};

template <class S>
struct OddScales<S, BlockIQ3_XXS>
    : ScalesOnTop<S, BlockIQ3_XXS, offsetof(BlockIQ3_XXS, signs) + 4, 4> {
  static void read(const std::byte* chunks, int n_blocks, typename S::F scale[1]) noexcept {
    OddScales::ScalesOnTop::read(chunks, n_blocks, 0.25F, scale);
  }
};

// Half bytes, two for each 32 weights.
template <class S, class Block>
struct ScalesOfHalves {
  static constexpr int kSub = 16;
  static void read(const std::byte* chunks, int n_blocks, typename S::F scale[2]) noexcept {
    const Chunks<S, Block> blocks(chunks, n_blocks);
    std::uint64_t bytes[blocks.kCount];
    for (int i = 0; i < blocks.kCount; ++i) {
      bytes[i] = load_as<std::uint64_t>(blocks.at[i] + offsetof(Block, scales));
    }
    const auto both = S::widen_bytes(bytes);
    const auto d = d_of(blocks, 0.125F);
    scale[0] = times_odd<S>(d, S::and_(both, S::set1_i(15)));
    scale[1] = times_odd<S>(d, S::template shift_right<4>(both));
  }
};

template <class S>
struct OddScales<S, BlockIQ2_XS> : ScalesOfHalves<S, BlockIQ2_XS> {};
template <class S>
struct OddScales<S, BlockIQ2_S> : ScalesOfHalves<S, BlockIQ2_S> {};

template <class S>
struct OddScales<S, BlockIQ3_S> {
  static constexpr int kSub = 32;
  static void read(const std::byte* chunks, int n_blocks, typename S::F scale[1]) noexcept {
    const Chunks<S, BlockIQ3_S> blocks(chunks, n_blocks);
    std::uint64_t bytes[blocks.kCount];
    for (int i = 0; i < blocks.kCount; ++i) {
      bytes[i] =
          spread_bits<4>(load_as<std::uint32_t>(blocks.at[i] + offsetof(BlockIQ3_S, scales)));
    }
    scale[0] = times_odd<S>(blocks.f16(offsetof(BlockIQ3_S, d)), S::widen_bytes(bytes));
  }
};

template <class S>
struct OddScales<S, BlockIQ1_S> {
  static constexpr int kSub = 32;
  static void read(const std::byte* chunks, int n_blocks, typename S::F scale[1]) noexcept {
    using HighBytes = Strided<S, Stride<sizeof(BlockIQ1_S), kChunkBlocks, 2, 1>>;
    const auto bytes = HighBytes::u8(chunks + offsetof(BlockIQ1_S, qh), n_blocks);
    const auto n = S::and_(S::template shift_right<4>(bytes), S::set1_i(7));
    scale[0] = times_odd<S>(d_of(Chunks<S, BlockIQ1_S>(chunks, n_blocks), 0.125F), n);
  }
};

template <class S>
struct OddScales<S, BlockIQ1_M> {
  static constexpr int kSub = 16;
  static void read(const std::byte* chunks, int n_blocks, typename S::F scale[2]) noexcept {
    const Chunks<S, BlockIQ1_M> blocks(chunks, n_blocks);
    std::uint64_t bytes[2][blocks.kCount];
    std::uint16_t d[blocks.kCount];
    for (int i = 0; i < blocks.kCount; ++i) {
      const auto words = load_as<std::uint64_t>(blocks.at[i] + offsetof(BlockIQ1_M, scales));
      bytes[0][i] = three_bits(words);
      bytes[1][i] = three_bits(words >> 3);
      const std::uint64_t slices = words >> 12 & 0x000f000f000f000fU;
      const std::uint64_t pairs = slices | slices >> 12;
      d[i] = static_cast<std::uint16_t>((pairs & 0xffU) | (pairs >> 24 & 0xff00U));
    }
    const auto of = S::mul(S::f16_eights(d), S::set1(0.125F));
    for (int s = 0; s < 2; ++s) scale[s] = times_odd<S>(of, S::widen_bytes(bytes[s]));
  }

 private:
  // Bits 0 to 2 and 6 to 8 of four words, a byte each.
  static std::uint64_t three_bits(std::uint64_t words) noexcept {
    constexpr std::uint64_t kThree = 0x0007000700070007U;
    return (words & kThree) | (words >> 6 & kThree) << 8;
  }
};

template <class S>
struct OddScales<S, BlockTQ1_0> {
  static constexpr int kSub = 32;
  static void read(const std::byte* chunks, int n_blocks, typename S::F scale[1]) noexcept {
    scale[0] = Chunks<S, BlockTQ1_0>(chunks, n_blocks).f16(offsetof(BlockTQ1_0, d));
  }
};

}  // namespace confab::kernels::generic
