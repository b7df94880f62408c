// SPDX-License-Identifier: MIT
// Unpacking of the IQ types of 256 weights; as in simple.h. Grids are applied 8 weights at a time,
// as one 64-bit number.
#pragma once

#include <bit>

#include "kernels/iq_grids.h"
#include "kernels/unpack/simple.h"

namespace confab::kernels {

// Entry n is the mask of the seven signs n and of an eighth that makes their number even.
constexpr std::array<std::uint64_t, 128> kMaskOfEvenSigns = [] {
  std::array<std::uint64_t, 128> masks{};
  for (unsigned n = 0; n < 128; ++n) {
    const unsigned eighth = static_cast<unsigned>(std::popcount(n)) % 2;
    masks[n] = kMaskOfBits[n | eighth << 7];
  }
  return masks;
}();

[[maybe_unused]] static void unpack(const BlockIQ4_XS& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 8; ++j) {
    const int low = b.scales_l[j / 2] >> 4 * (j % 2) & 15, high = b.scales_h >> 2 * j & 3;
    look_up_halves<16>(b.qs + 16 * j, kIq4Values, out.q + at + 32 * j);
    set_scales<32>(out, at + 32 * j, d * static_cast<float>((low | high << 4) - 32));
  }
}

[[maybe_unused]] static void unpack(const BlockIQ2_XXS& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 8; ++j) {
    std::uint32_t rest;
    std::memcpy(&rest, b.qs + 8 * j + 4, sizeof rest);
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t signs = kMaskOfEvenSigns[rest >> 7 * i & 127U];
      put_8(negate(kIq2XxsGrid[b.qs[8 * j + i]], signs), out.q + at + 32 * j + 8 * i);
    }
    set_scales<32>(out, at + 32 * j, d * (0.5F + static_cast<float>(rest >> 28)) * 0.25F);
  }
}

// The 4-bit scales of IQ2_XS and IQ2_S.
template <typename Block>
static void set_scales_iq2(const Block& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 16; ++j) {
    const auto s = static_cast<float>(b.scales[j / 2] >> 4 * (j % 2) & 15);
    set_scales<16>(out, at + 16 * j, d * (0.5F + s) * 0.25F);
  }
}

[[maybe_unused]] static void unpack(const BlockIQ2_XS& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 32; ++i) {
    const std::uint64_t grid = kIq2XsGrid[b.qs[i] & 511U];
    put_8(negate(grid, kMaskOfEvenSigns[b.qs[i] >> 9]), out.q + at + 8 * i);
  }
  set_scales_iq2(b, at, out);
}

[[maybe_unused]] static void unpack(const BlockIQ2_S& b, int at, Unpacked& out) noexcept {
  for (int i = 0; i < 32; ++i) {
    const unsigned high = b.qh[i / 4] >> 2 * (i % 4) & 3;
    const std::uint64_t signs = kMaskOfBits[b.signs[i]];
    put_8(negate(kIq2SGrid[b.qs[i] | high << 8], signs), out.q + at + 8 * i);
  }
  set_scales_iq2(b, at, out);
}

[[maybe_unused]] static void unpack(const BlockIQ3_XXS& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 8; ++j) {
    std::uint32_t rest;
    std::memcpy(&rest, b.signs + 4 * j, sizeof rest);
    for (int i = 0; i < 4; ++i) {
      const std::uint8_t* index = b.qs + 8 * j + 2 * i;
      const std::uint64_t grid = kIq3XxsGrid[index[0]] | std::uint64_t{kIq3XxsGrid[index[1]]} << 32;
      const std::uint64_t signs = kMaskOfEvenSigns[rest >> 7 * i & 127U];
      put_8(negate(grid, signs), out.q + at + 32 * j + 8 * i);
    }
    set_scales<32>(out, at + 32 * j, d * (0.5F + static_cast<float>(rest >> 28)) * 0.5F);
  }
}

[[maybe_unused]] static void unpack(const BlockIQ3_S& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d);
  for (int j = 0; j < 8; ++j) {
    const unsigned high = b.qh[j];
    for (int i = 0; i < 4; ++i) {
      const std::uint8_t* index = b.qs + 8 * j + 2 * i;
      const std::uint64_t first = kIq3SGrid[index[0] | (high >> 2 * i & 1U) << 8];
      const std::uint64_t second = kIq3SGrid[index[1] | (high >> 2 * i & 2U) << 7];
      const std::uint64_t signs = kMaskOfBits[b.signs[4 * j + i]];
      put_8(negate(first | second << 32, signs), out.q + at + 32 * j + 8 * i);
    }
    const int s = b.scales[j / 2] >> 4 * (j % 2) & 15;
    set_scales<32>(out, at + 32 * j, d * static_cast<float>(2 * s + 1));
  }
}

// A grid of 0, 8, 16 with each byte moved by 1 or -1: eighths of a weight of IQ1, from -9 to 9.
static std::uint64_t shift_iq1(std::uint64_t grid, bool down) noexcept {
  return less(grid, down ? 9 : 7);
}

[[maybe_unused]] static void unpack(const BlockIQ1_S& b, int at, Unpacked& out) noexcept {
  const float d = f16_to_f32(b.d) * 0.125F;
  for (int j = 0; j < 8; ++j) {
    const unsigned qh = b.qh[j];
    for (int i = 0; i < 4; ++i) {
      const unsigned high = qh >> 3 * i & 7U;
      const std::uint64_t grid = kIq1Grid[b.qs[4 * j + i] | high << 8];
      put_8(shift_iq1(grid, (qh & 0x8000U) != 0), out.q + at + 32 * j + 8 * i);
    }
    set_scales<32>(out, at + 32 * j, d * static_cast<float>(2 * (qh >> 12 & 7U) + 1));
  }
}

[[maybe_unused]] static void unpack(const BlockIQ1_M& b, int at, Unpacked& out) noexcept {
  unsigned d_bits = 0;
  for (int k = 0; k < 4; ++k) d_bits |= unsigned{b.scales[k]} >> 12 << 4 * k;
  const float d = f16_to_f32(static_cast<std::uint16_t>(d_bits)) * 0.125F;
  for (int i = 0; i < 32; ++i) {
    const unsigned half = b.qh[i / 2] >> 4 * (i % 2) & 15U;
    const std::uint64_t grid = kIq1Grid[b.qs[i] | (half & 7U) << 8];
    put_8(shift_iq1(grid, (half & 8U) != 0), out.q + at + 8 * i);
  }
  for (int j = 0; j < 16; ++j) {
    const unsigned s = b.scales[j / 4] >> 3 * (j % 4) & 7U;
    set_scales<16>(out, at + 16 * j, d * static_cast<float>(2 * s + 1));
  }
}

}  // namespace confab::kernels
