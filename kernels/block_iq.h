// SPDX-License-Identifier: MIT
// Blocks of the IQ types. Their weights are indices into grids of 4 or 8 magnitudes (iq_grids.h),
// or into one table of unevenly spaced values (IQ4). Rules and sources are as in block.h.
//
// Where signs are stored apart from the grid, each 8 weights have one byte of them: weight l is
// negative if bit l is set. IQ2_XXS, IQ2_XS and IQ3_XXS store 7 of the bits; the eighth makes the
// number of set bits even.
#pragma once

#include <type_traits>

#include "kernels/block.h"

namespace confab::kernels {

// Selects an overload for a type of block, which may lie at any address.
template <class Block>
using Of = std::type_identity<Block>;

// The values of the codes of IQ4_NL and IQ4_XS. Source: kvalues_iq4nl of ggml-common.h.
constexpr std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                        1,    13,   25,  38,  53,  69,  89,  113};

// w[i] = d * kIq4Values[q[i]]; qs is as in Q4_0.
struct BlockIQ4_NL {
  std::uint16_t d;  // f16
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockIQ4_NL) == 18);

// 8 sub-blocks of 32: w = d * (sc[j] - 32) * kIq4Values[q]. The low four bits of sc[j] are in half
// j % 2 of scales_l[j / 2], its high bits are bits 2j and 2j + 1 of scales_h. Each 16 bytes of qs
// are as in Q4_0.
struct BlockIQ4_XS {
  std::uint16_t d;  // f16
  std::uint16_t scales_h;
  std::uint8_t scales_l[4];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockIQ4_XS) == 136);

// 8 sub-blocks of 32, of 8 bytes each: four indices into the grid of 256, then 32 bits with four
// times 7 signs and the 4-bit scale s. w = d * (s + 1/2) / 4 * grid.
struct BlockIQ2_XXS {
  std::uint16_t d;  // f16
  std::uint8_t qs[64];
};
static_assert(sizeof(BlockIQ2_XXS) == 66);

// qs[i] describes weights 8i .. 8i + 7: 9 bits of index into the grid of 512, then 7 signs. The
// scale s of weights 16j .. 16j + 15 is in half j % 2 of scales[j / 2]. w = d * (s + 1/2) / 4 *
// grid.
struct BlockIQ2_XS {
  std::uint16_t d;  // f16
  std::uint16_t qs[32];
  std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_XS) == 74);

// Like IQ2_XS, with the grid of 1024. For weights 8i .. 8i + 7, qs[i] is the low part of the index,
// bits 2 (i % 4) and 2 (i % 4) + 1 of qh[i / 4] are the high part, and signs[i] holds all eight
// signs.
struct BlockIQ2_S {
  std::uint16_t d;  // f16
  std::uint8_t qs[32];
  std::uint8_t signs[32];
  std::uint8_t qh[8];
  std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_S) == 82);

// qs[i] is the index of weights 4i .. 4i + 3 into the grid of 256 entries of 4. Each 32 weights
// have 32 bits in `signs`: four times 7 signs, then the 4-bit scale s. w = d * (s + 1/2) / 2 *
// grid.
struct BlockIQ3_XXS {
  std::uint16_t d;  // f16
  std::uint8_t qs[64];
  std::uint8_t signs[32];
};
static_assert(sizeof(BlockIQ3_XXS) == 98);

// For weights 4i .. 4i + 3, qs[i] is the low part of the index into the grid of 512 entries of 4,
// and bit i % 8 of qh[i / 8] is the high bit. The scale s of weights 32j .. 32j + 31 is in half j %
// 2 of scales[j / 2]. w = d * (2 s + 1) * grid.
struct BlockIQ3_S {
  std::uint16_t d;  // f16
  std::uint8_t qs[64];
  std::uint8_t qh[8];
  std::uint8_t signs[32];
  std::uint8_t scales[4];
};
static_assert(sizeof(BlockIQ3_S) == 110);

// For weights 8i .. 8i + 7, qs[i] is the low part of the index into the grid of 2048, and bits 3 (i
// % 4) .. 3 (i % 4) + 2 of qh[i / 4] are the high part. The other bits of qh[j] belong to weights
// 32j .. 32j + 31: 3 bits of the scale s, and the sign of the shift. w = d * (2 s + 1) * (grid +-
// 1/8).
struct BlockIQ1_S {
  std::uint16_t d;  // f16
  std::uint8_t qs[32];
  std::uint16_t qh[8];
};
static_assert(sizeof(BlockIQ1_S) == 50);

// Like IQ1_S, but half i % 2 of qh[i / 2] holds the high part of the index of weights 8i .. 8i + 7
// and, in its highest bit, the sign of their shift. `scales` is four 16-bit numbers. The low 12
// bits of number k hold the 3-bit scales s of four times 16 weights; its high 4 bits are slice k of
// d.
struct BlockIQ1_M {
  std::uint8_t qs[32];
  std::uint8_t qh[16];
  std::uint16_t scales[4];
};
static_assert(sizeof(BlockIQ1_M) == 56);

}  // namespace confab::kernels
