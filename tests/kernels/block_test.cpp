// SPDX-License-Identifier: MIT
#include "kernels/block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace confab::kernels {
namespace {

// What the bits of an f16 mean, from the definition.
double f16_value(unsigned h) {
  const double sign = (h & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(h >> 10 & 31U);
  const double fraction = static_cast<double>(h & 0x3ffU) / 1024;
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15));
}

TEST(BlockTest, F16WidensExactlyAndNarrowsBack) {
  for (unsigned h = 0; h < 0x10000U; ++h) {
    if ((h >> 10 & 31U) == 31U) continue;
    const float f = f16_to_f32(static_cast<std::uint16_t>(h));
    ASSERT_EQ(static_cast<double>(f), f16_value(h)) << h;
    ASSERT_EQ(std::signbit(f), h >= 0x8000U) << h;
    ASSERT_EQ(f32_to_f16(f), h);
  }
}

TEST(BlockTest, F16InfinityAndNan) {
  EXPECT_EQ(f16_to_f32(0x7c00), INFINITY);
  EXPECT_EQ(f16_to_f32(0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(f16_to_f32(0x7c01)));
  EXPECT_EQ(f32_to_f16(INFINITY), 0x7c00);
  EXPECT_EQ(f32_to_f16(65519.9F), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0F), 0x7c00);
  EXPECT_EQ(f32_to_f16(-1e30F), 0xfc00);
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(NAN))));
}

TEST(BlockTest, F16RoundsToNearestTiesToEven) {
  for (unsigned h = 0; h < 0x7bffU; ++h) {
    const double low = f16_value(h), high = f16_value(h + 1);
    const auto middle = static_cast<float>((low + high) / 2);
    const auto even = static_cast<std::uint16_t>(h % 2 == 0 ? h : h + 1);
    ASSERT_EQ(f32_to_f16(middle), even) << h;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, 0.0F)), h);
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, INFINITY)), h + 1);
  }
}

TEST(BlockTest, Bf16RoundsToNearestTiesToEven) {
  EXPECT_EQ(f32_to_bf16(f32_from_bits(0x3f808000)), 0x3f80);
  EXPECT_EQ(f32_to_bf16(f32_from_bits(0x3f818000)), 0x3f82);
  EXPECT_EQ(f32_to_bf16(f32_from_bits(0x3f808001)), 0x3f81);
  EXPECT_EQ(f32_to_bf16(f32_from_bits(0x7f7fffff)), 0x7f80);
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(f32_from_bits(0x7f800001)))));
  for (unsigned h = 0; h < 0x7f80U; ++h) {
    ASSERT_EQ(f32_to_bf16(bf16_to_f32(static_cast<std::uint16_t>(h))), h);
  }
}

TEST(BlockTest, SixBitScalesCoverAllTwelveBytes) {
  std::mt19937 rng(5);
  for (int round = 0; round < 100; ++round) {
    // Packed here from the other side: sc and m are drawn, and the bytes made from them.
    std::uint8_t sc[8], m[8], packed[12] = {}, got_sc[8], got_m[8];
    for (int j = 0; j < 8; ++j) {
      sc[j] = static_cast<std::uint8_t>(rng() & 63U);
      m[j] = static_cast<std::uint8_t>(rng() & 63U);
    }
    for (int j = 0; j < 4; ++j) {
      packed[j] = static_cast<std::uint8_t>(sc[j] | (sc[j + 4] >> 4) << 6);
      packed[j + 4] = static_cast<std::uint8_t>(m[j] | (m[j + 4] >> 4) << 6);
      packed[j + 8] = static_cast<std::uint8_t>((sc[j + 4] & 15) | (m[j + 4] & 15) << 4);
    }
    unpack_scales_k4(packed, got_sc, got_m);
    for (int j = 0; j < 8; ++j) {
      ASSERT_EQ(got_sc[j], sc[j]);
      ASSERT_EQ(got_m[j], m[j]);
    }
  }
}

}  // namespace
}  // namespace confab::kernels
