// SPDX-License-Identifier: MIT
// Blocks of the IQ types: weights as indices into grids of 4 or 8 magnitudes (iq_grids.h), or into
// one uneven scale (IQ4). Rules and sources as in block.h.
//
// Where a grid's numbers have signs of their own, each 8 weights have one byte of them: weight l is
// negative when bit l is set. IQ2_XXS, IQ2_XS and IQ3_XXS keep 7 of the bits: the eighth makes the
// number of set ones even.
#pragma once

#include <type_traits>

#include "kernels/block.h"

namespace confab::kernels {

// Chooses the overload for a type of block that lies at any address.
template <class Block>
using Of = std::type_identity<Block>;

// What the codes of IQ4_NL and IQ4_XS stand for. Source: kvalues_iq4nl of ggml-common.h.
constexpr std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                        1,    13,   25,  38,  53,  69,  89,  113};

// w[i] = d * kIq4Values[q[i]], qs as in Q4_0.
struct BlockIQ4_NL {
  std::uint16_t d;  // f16
  std::uint8_t qs[16];
};
static_assert(sizeof(BlockIQ4_NL) == 18);

// 8 sub-blocks of 32: w = d * (sc[j] - 32) * kIq4Values[q]. sc[j] has its low four bits in half j %
// 2 of scales_l[j / 2], and bits 2j, 2j + 1 of scales_h on top. Each 16 bytes of qs are as in Q4_0.
struct BlockIQ4_XS {
  std::uint16_t d;  // f16
  std::uint16_t scales_h;
  std::uint8_t scales_l[4];
  std::uint8_t qs[128];
};
static_assert(sizeof(BlockIQ4_XS) == 136);

// 8 sub-blocks of 32, each from 8 bytes: four indices into the grid of 256, then 32 bits: four
// times 7 of signs, and 4 of the scale s. w = d * (s + 1/2) / 4 * grid.
struct BlockIQ2_XXS {
  std::uint16_t d;  // f16
  std::uint8_t qs[64];
};
static_assert(sizeof(BlockIQ2_XXS) == 66);

// qs[i] stands for weights 8i .. 8i + 7: 9 bits of index into the grid of 512, 7 of signs. Weights
// 16j .. 16j + 15 have the scale s in half j % 2 of scales[j / 2]. w = d * (s + 1/2) / 4 * grid.
struct BlockIQ2_XS {
  std::uint16_t d;  // f16
  std::uint16_t qs[32];
  std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_XS) == 74);

// As IQ2_XS, of the grid of 1024: qs[i] is the low part of the index of weights 8i .. 8i + 7, bits
// 2 (i % 4) and 2 (i % 4) + 1 of qh[i / 4] the high part, and signs[i] all eight.
struct BlockIQ2_S {
  std::uint16_t d;  // f16
  std::uint8_t qs[32];
  std::uint8_t signs[32];
  std::uint8_t qh[8];
  std::uint8_t scales[8];
};
static_assert(sizeof(BlockIQ2_S) == 82);

// qs[i] is the index of weights 4i .. 4i + 3 into the grid of 256 times 4. Each 32 weights have 32
// bits in signs: four times 7 of signs, and 4 of the scale s. w = d * (s + 1/2) / 2 * grid.
struct BlockIQ3_XXS {
  std::uint16_t d;  // f16
  std::uint8_t qs[64];
  std::uint8_t signs[32];
};
static_assert(sizeof(BlockIQ3_XXS) == 98);

// qs[i] is the low part of the index of weights 4i .. 4i + 3 into the grid of 512 times 4, bit i %
// 8 of qh[i / 8] the high one. Weights 32j .. 32j + 31 have the scale s in half j % 2 of scales[j /
// 2]. w = d * (2 s + 1) * grid.
struct BlockIQ3_S {
  std::uint16_t d;  // f16
  std::uint8_t qs[64];
  std::uint8_t qh[8];
  std::uint8_t signs[32];
  std::uint8_t scales[4];
};
static_assert(sizeof(BlockIQ3_S) == 110);

// qs[i] is the low part of the index of weights 8i .. 8i + 7 into the grid of 2048, bits 3 (i % 4)
// .. 3 (i % 4) + 2 of qh[i / 4] the high part. The rest of qh[j], for weights 32j .. 32j + 31: 3
// bits of the scale s, and the sign of the shift. w = d * (2 s + 1) * (grid +- 1/8).
struct BlockIQ1_S {
  std::uint16_t d;  // f16
  std::uint8_t qs[32];
  std::uint16_t qh[8];
};
static_assert(sizeof(BlockIQ1_S) == 50);

// As IQ1_S: half i % 2 of qh[i / 2] has the high part of the index of weights 8i .. 8i + 7, and the
// sign of their shift as its highest bit. scales are four 16-bit numbers: in the low 12 bits of
// number k, four times 3 bits of the scale s of each 16 weights; the high 4 bits are slice k of d.
struct BlockIQ1_M {
  std::uint8_t qs[32];
  std::uint8_t qh[16];
  std::uint16_t scales[4];
};
static_assert(sizeof(BlockIQ1_M) == 56);

}  // namespace confab::kernels
