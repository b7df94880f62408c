// SPDX-License-Identifier: MIT
// The scales and minimums of the blocks of one row, with block b of 32 in lane b of a vector.
// Decoding uses these Readers; lane_scales.h has those for many rows. `chunks` points to the chunk
// of 256 weights that starts with the first of S::kLanes blocks. Only n_blocks of these exist. Only
// they are read, and the other lanes are undefined. Each block has kSub weights per scale, so 32 /
// kSub scales.
#pragma once

#include "kernels/generic/lane_scales.h"
#include "kernels/generic/strided.h"

namespace confab::kernels::generic {

// The chunks that contain kLanes blocks. If the row ends earlier, the last chunk is repeated.
template <class S, class Block>
struct Chunks {
  static constexpr int kCount = S::kLanes / kChunkBlocks;

  Chunks(const std::byte* first, int n_blocks) noexcept {
    at[0] = first;
    for (int i = 1; i < kCount; ++i)
      at[i] = i * kChunkBlocks < n_blocks ? at[i - 1] + sizeof(Block) : at[i - 1];
  }
  // The f16 at `offset` of each chunk, in the lanes of its blocks.
  typename S::F f16(std::size_t offset) const noexcept {
    std::uint16_t d[kCount];
    for (int i = 0; i < kCount; ++i) d[i] = load_as<std::uint16_t>(at[i] + offset);
    return S::f16_eights(d);
  }
  const std::byte* at[kCount];
};

// Spreads fields of kBits bits to one byte each.
template <int kBits>
static std::uint64_t spread_bits(std::uint64_t x) noexcept {
  constexpr std::uint64_t kMask = (1U << kBits) - 1U;
  x = (x | x << (32 - 4 * kBits)) & ((std::uint64_t{1} << 4 * kBits) - 1U) * 0x100000001U;
  x = (x | x << (16 - 2 * kBits)) & (kMask | kMask << kBits) * 0x1000100010001U;
  return (x | x << (8 - kBits)) & kMask * 0x101010101010101U;
}

template <class S, class Reader>
struct BlockScales;

template <class S, class Block, int kWidth>
struct BlockScales<S, ScaleOfBlock<S, Block, kWidth>> {
  using F = typename S::F;
  static void read(const std::byte* chunks, int n_blocks, F scale[1], F*) noexcept {
    if constexpr (kWidth == kChunk) {
      scale[0] = Chunks<S, Block>(chunks, n_blocks).f16(offsetof(Block, d));
    } else {
      using At = Stride<sizeof(Block), kWidth / 32>;
      scale[0] = Strided<S, At>::f16(chunks + offsetof(Block, d), n_blocks);
    }
  }
};

template <class S, class Block>
struct BlockScales<S, ScaleAndMinOfBlock<S, Block>> {
  using F = typename S::F;
  static void read(const std::byte* chunks, int n_blocks, F scale[1], F min[1]) noexcept {
    using F16 = Strided<S, Stride<sizeof(Block)>>;
    scale[0] = F16::f16(chunks, n_blocks);
    min[0] = S::sub(S::zero(), F16::f16(chunks + offsetof(Block, m), n_blocks));
  }
};

template <class S>
struct BlockScales<S, ScaleOfMXFP4<S>> {
  using F = typename S::F;
  static void read(const std::byte* chunks, int n_blocks, F scale[1], F*) noexcept {
    const auto e = Strided<S, Stride<sizeof(BlockMXFP4)>>::u8(chunks, n_blocks);
    scale[0] = ScaleOfMXFP4<S>::half_of_e8m0(e);
  }
};

template <class S>
struct BlockScales<S, ScalesNVFP4<S>> {
  using F = typename S::F;
  static void read(const std::byte* chunks, int n_blocks, F scale[2], F*) noexcept {
    using U8 = Strided<S, Stride<sizeof(BlockNVFP4), 2, 2>>;
    for (int s = 0; s < 2; ++s) {
      scale[s] = ScalesNVFP4<S>::half_of_ue4m3(U8::u8(chunks + s, n_blocks));
    }
  }
};

template <class S, class Block>
struct BlockScales<S, ScalesK4<S, Block>> {
  using F = typename S::F;
  static void read(const std::byte* chunks, int n_blocks, F scale[1], F min[1]) noexcept {
    S::scales_k4(Chunks<S, Block>(chunks, n_blocks).at, scale[0], min[0]);
  }
};

template <class S>
struct BlockScales<S, ScalesQ2_K<S>> {
  using F = typename S::F;
  static void read(const std::byte* chunks, int n_blocks, F scale[2], F min[2]) noexcept {
    const Chunks<S, BlockQ2_K> blocks(chunks, n_blocks);
    std::uint64_t bytes[2 * blocks.kCount];
    for (int i = 0; i < 2 * blocks.kCount; ++i) {
      bytes[i] = load_as<std::uint64_t>(blocks.at[i / 2] + offsetof(BlockQ2_K, scales) + i % 2 * 8);
    }
    const F d = blocks.f16(offsetof(BlockQ2_K, d)), dmin = blocks.f16(offsetof(BlockQ2_K, dmin));
    typename S::I pairs[2];
    S::byte_pairs(bytes, pairs[0], pairs[1]);
    const auto four = S::set1_i(15);
    for (int s = 0; s < 2; ++s) {
      scale[s] = S::mul(d, S::to_f32(S::and_(pairs[s], four)));
      min[s] = S::mul(dmin, S::to_f32(S::and_(S::template shift_right<4>(pairs[s]), four)));
    }
  }
};

template <class S>
struct BlockScales<S, ScalesQ3_K<S>> {
  using F = typename S::F;
  static void read(const std::byte* chunks, int n_blocks, F scale[2], F*) noexcept {
    const Chunks<S, BlockQ3_K> blocks(chunks, n_blocks);
    std::uint64_t bytes[2 * blocks.kCount];
    for (int i = 0; i < blocks.kCount; ++i) {
      const std::byte* packed = blocks.at[i] + offsetof(BlockQ3_K, scales);
      const auto low = load_as<std::uint64_t>(packed);
      const std::uint64_t high = load_as<std::uint32_t>(packed + 8);
      constexpr std::uint64_t kFour = 0x0f0f0f0f0f0f0f0f, kTwo = 0x30303030;
      bytes[2 * i] = (low & kFour) | (high << 4 & kTwo) | (high << 2 & kTwo) << 32;
      bytes[2 * i + 1] = (low >> 4 & kFour) | (high & kTwo) | (high >> 2 & kTwo) << 32;
    }
    const F d = blocks.f16(offsetof(BlockQ3_K, d));
    typename S::I pairs[2];
    S::byte_pairs(bytes, pairs[0], pairs[1]);
    for (int s = 0; s < 2; ++s) {
      scale[s] = S::mul(d, S::sub(S::to_f32(pairs[s]), S::set1(32)));
    }
  }
};

template <class S>
struct BlockScales<S, ScalesQ6_K<S>> {
  using F = typename S::F;
  static void read(const std::byte* chunks, int n_blocks, F scale[2], F*) noexcept {
    const Chunks<S, BlockQ6_K> blocks(chunks, n_blocks);
    std::uint64_t bytes[2 * blocks.kCount];
    for (int i = 0; i < 2 * blocks.kCount; ++i) {
      bytes[i] = load_as<std::uint64_t>(blocks.at[i / 2] + offsetof(BlockQ6_K, scales) + i % 2 * 8);
    }
    const F d = blocks.f16(offsetof(BlockQ6_K, d));
    typename S::I pairs[2];
    S::byte_pairs(bytes, pairs[0], pairs[1]);
    for (int s = 0; s < 2; ++s) scale[s] = S::mul(d, S::to_f32(pairs[s]));
  }
};

template <class S>
struct BlockScales<S, ScalesIQ4_XS<S>> {
  using F = typename S::F;
  static void read(const std::byte* chunks, int n_blocks, F scale[1], F*) noexcept {
    const Chunks<S, BlockIQ4_XS> blocks(chunks, n_blocks);
    std::uint64_t bytes[blocks.kCount];
    for (int i = 0; i < blocks.kCount; ++i) {
      const std::byte* block = blocks.at[i];
      const auto low = load_as<std::uint32_t>(block + offsetof(BlockIQ4_XS, scales_l));
      const auto high = load_as<std::uint16_t>(block + offsetof(BlockIQ4_XS, scales_h));
      bytes[i] = spread_bits<4>(low) | spread_bits<2>(high) << 4;
    }
    const F numbers = S::sub(S::to_f32(S::widen_bytes(bytes)), S::set1(32));
    scale[0] = S::mul(blocks.f16(offsetof(BlockIQ4_XS, d)), numbers);
  }
};

// The scales of types whose blocks of 256 are unpacked as a whole (weight_types.h). read() fills
// lane b with the scales of block b of 32, each for kSub weights, as in BlockScales. Except for
// TQ1_0, a scale is d times a small odd number 2 n + 1, and the file stores n.

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

// The highest four bits of 32-bit words. The first word ends at kEnd, and they are kStep bytes
// apart.
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
  // Bits 0 to 2 and 6 to 8 of four words, one byte each.
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
