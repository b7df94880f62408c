// SPDX-License-Identifier: MIT
// The scales of the types that weight_types.h takes by way of memory. Each 16 weights of a block of
// 256 have d times a small odd number, of which the file has the half.
#pragma once

#include <cstring>

#include "kernels/block_iq.h"

namespace confab::kernels::generic {

struct OddScales {
  float d;
  std::uint64_t odd[2];  // a byte for each 16 weights
};

// Bytes 2 n + 1 for bytes n below 64.
static std::uint64_t odd_of(std::uint64_t bytes) noexcept {
  return bytes << 1 | 0x0101010101010101U;
}
// The half bytes of x, a byte each.
static std::uint64_t spread_halves(std::uint64_t x) noexcept {
  x = (x | x << 16) & 0x0000ffff0000ffffU;
  x = (x | x << 8) & 0x00ff00ff00ff00ffU;
  return (x | x << 4) & 0x0f0f0f0f0f0f0f0fU;
}
// Each of 4 bytes twice.
static std::uint64_t twice(std::uint64_t x) noexcept {
  x = (x | x << 16) & 0x0000ffff0000ffffU;
  x = (x | x << 8) & 0x00ff00ff00ff00ffU;
  return x | x << 8;
}

static float d_of(const std::byte* block, std::size_t offset) noexcept {
  return f16_to_f32(load_as<std::uint16_t>(block + offset));
}

// A scale in the highest half byte of each of 8 words of 32 bits, `stride` apart.
static OddScales scales_on_top(float d, const std::byte* words, std::size_t stride) noexcept {
  std::uint64_t low = 0, high = 0;
  for (unsigned j = 0; j < 4; ++j) {
    low |= std::uint64_t{load_as<std::uint32_t>(words + stride * j)} >> 28 << 8 * j;
    high |= std::uint64_t{load_as<std::uint32_t>(words + stride * (j + 4))} >> 28 << 8 * j;
  }
  return {d, {odd_of(twice(low)), odd_of(twice(high))}};
}

[[maybe_unused]] static OddScales odd_scales(Of<BlockIQ2_XXS>, const std::byte* block) noexcept {
  return scales_on_top(0.125F * d_of(block, offsetof(BlockIQ2_XXS, d)),
                       block + offsetof(BlockIQ2_XXS, qs) + 4, 8);
}
[[maybe_unused]] static OddScales odd_scales(Of<BlockIQ3_XXS>, const std::byte* block) noexcept {
  return scales_on_top(0.25F * d_of(block, offsetof(BlockIQ3_XXS, d)),
                       block + offsetof(BlockIQ3_XXS, signs), 4);
}

template <class Block>  // IQ2_XS, IQ2_S
static OddScales scales_of_halves(const std::byte* block) noexcept {
  const std::byte* scales = block + offsetof(Block, scales);
  return {0.125F * d_of(block, offsetof(Block, d)),
          {odd_of(spread_halves(load_as<std::uint32_t>(scales))),
           odd_of(spread_halves(load_as<std::uint32_t>(scales + 4)))}};
}
[[maybe_unused]] static OddScales odd_scales(Of<BlockIQ2_XS>, const std::byte* block) noexcept {
  return scales_of_halves<BlockIQ2_XS>(block);
}
[[maybe_unused]] static OddScales odd_scales(Of<BlockIQ2_S>, const std::byte* block) noexcept {
  return scales_of_halves<BlockIQ2_S>(block);
}
[[maybe_unused]] static OddScales odd_scales(Of<BlockIQ3_S>, const std::byte* block) noexcept {
  const std::uint64_t bytes =
      spread_halves(load_as<std::uint32_t>(block + offsetof(BlockIQ3_S, scales)));
  return {d_of(block, offsetof(BlockIQ3_S, d)),
          {odd_of(twice(bytes & 0xffffffffU)), odd_of(twice(bytes >> 32))}};
}

[[maybe_unused]] static OddScales odd_scales(Of<BlockIQ1_S>, const std::byte* block) noexcept {
  std::uint64_t parts[2] = {0, 0};
  for (unsigned j = 0; j < 8; ++j) {
    const std::uint64_t qh = load_as<std::uint16_t>(block + offsetof(BlockIQ1_S, qh) + 2 * j);
    parts[j / 4] |= (qh >> 12 & 7) << 8 * (j % 4);
  }
  return {0.125F * d_of(block, offsetof(BlockIQ1_S, d)),
          {odd_of(twice(parts[0])), odd_of(twice(parts[1]))}};
}

[[maybe_unused]] static OddScales odd_scales(Of<BlockIQ1_M>, const std::byte* block) noexcept {
  std::uint64_t parts[2] = {0, 0};
  unsigned d = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint64_t s = load_as<std::uint16_t>(block + offsetof(BlockIQ1_M, scales) + 2 * k);
    const std::uint64_t four =
        (s & 7) | (s >> 3 & 7) << 8 | (s >> 6 & 7) << 16 | (s >> 9 & 7) << 24;
    parts[k / 2] |= four << 32 * (k % 2);
    d |= static_cast<unsigned>(s >> 12) << 4 * k;
  }
  return {0.125F * f16_to_f32(static_cast<std::uint16_t>(d)), {odd_of(parts[0]), odd_of(parts[1])}};
}

[[maybe_unused]] static OddScales odd_scales(Of<BlockTQ1_0>, const std::byte* block) noexcept {
  return {d_of(block, offsetof(BlockTQ1_0, d)), {odd_of(0), odd_of(0)}};
}

}  // namespace confab::kernels::generic
