// SPDX-License-Identifier: MIT
// Converts rows of f32 to the types that a cache can have, over the vocabulary S of an instruction
// set. The bits are those of scalar/encode.cpp, which explains the choices: each number is computed
// by the same operations, and sums that could round are taken in the same order.
#pragma once

#include <cstring>

#include "kernels/block_iq.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

template <class S>
class Encode {
 public:
  static void row(Dtype dtype, const float* in, std::int64_t n, std::byte* out) noexcept {
    switch (dtype) {
      case Dtype::F32:
        std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
        return;
      case Dtype::F16:
        return encode_f16(in, n, out);
      case Dtype::BF16:
        return encode_bf16(in, n, out);
      case Dtype::Q8_0:
        return encode_blocks<BlockQ8_0>(in, n, out);
      case Dtype::Q4_0:
        return encode_blocks<BlockQ4_0>(in, n, out);
      case Dtype::Q4_1:
        return encode_blocks<BlockQ4_1>(in, n, out);
      case Dtype::Q5_0:
        return encode_blocks<BlockQ5_0>(in, n, out);
      case Dtype::Q5_1:
        return encode_blocks<BlockQ5_1>(in, n, out);
      case Dtype::IQ4_NL:
        return encode_blocks<BlockIQ4_NL>(in, n, out);
      default:
        __builtin_trap();  // encode_row() does not accept this type
    }
  }

 private:
  using F = typename S::F;
  static constexpr int kLanes = S::kLanes;
  static constexpr float kMaxF16 = 65504.0F;

  static void encode_f16(const float* in, std::int64_t n, std::byte* out) noexcept {
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) S::store_f16(out + 2 * i, S::load(in + i));
    for (; i < n; ++i) {
      const std::uint16_t h = f32_to_f16(in[i]);
      std::memcpy(out + 2 * i, &h, sizeof h);
    }
  }
  static void encode_bf16(const float* in, std::int64_t n, std::byte* out) noexcept {
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) S::store_bf16(out + 2 * i, S::load(in + i));
    for (; i < n; ++i) {
      const std::uint16_t h = f32_to_bf16(in[i]);
      std::memcpy(out + 2 * i, &h, sizeof h);
    }
  }

  template <class Block>
  static void encode_blocks(const float* in, std::int64_t n, std::byte* out) noexcept {
    for (std::int64_t i = 0; i < n; i += 32, out += sizeof(Block)) {
      Block b;
      encode(in + i, b);
      std::memcpy(out, &b, sizeof b);
    }
  }

  // Never gives infinity or a negative zero.
  static std::uint16_t to_f16(float x) noexcept {
    return f32_to_f16((x < -kMaxF16 ? -kMaxF16 : x > kMaxF16 ? kMaxF16 : x) + 0.0F);
  }
  static float inverse_of(std::uint16_t d) noexcept {
    const float f = S::f16_to_f32(d);
    return f != 0 ? 1.0F / f : 0.0F;
  }

  struct Extremes {
    float low, high;
    float far() const noexcept { return -low > high ? low : high; }
  };
  static Extremes extremes(const float* x) noexcept {
    F low = S::load(x), high = low;
    for (int i = kLanes; i < 32; i += kLanes) {
      low = S::min(S::load(x + i), low);
      high = S::max(S::load(x + i), high);
    }
    return {-S::max(S::sub(S::zero(), low)), S::max(high)};
  }

  // codes[i] = round((x[i] - min) * inverse), clamped to [low, high], plus `offset`, as bytes.
  struct Scaling {
    float min, inverse, low, high, offset;
  };
  static void scale(const float* x, const Scaling& s, std::byte* codes) noexcept {
    const F min = S::set1(s.min), inverse = S::set1(s.inverse), offset = S::set1(s.offset);
    for (int i = 0; i < 32; i += kLanes) {
      const F v = S::mul(S::sub(S::load(x + i), min), inverse);
      const F within = S::min(S::set1(s.high), S::max(S::set1(s.low), v));
      S::store_i8(codes + i, S::to_i32(S::add(S::round(within), offset)));
    }
  }

  static void pack_nibbles(const std::byte codes[32], std::uint8_t qs[16]) noexcept {
    constexpr std::uint64_t kLow = 0x0f0f0f0f0f0f0f0fU;
    for (int i = 0; i < 16; i += 8) {
      const auto low = load_as<std::uint64_t>(codes + i) & kLow;
      const auto high = load_as<std::uint64_t>(codes + 16 + i) & kLow;
      const std::uint64_t both = low | high << 4;
      std::memcpy(qs + i, &both, sizeof both);
    }
  }
  // The product moves the lowest bit of byte j to bit 56 + j.
  static void pack_fifth_bits(const std::byte codes[32], std::uint8_t qh[4]) noexcept {
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t bits = load_as<std::uint64_t>(codes + 8 * i) >> 4 & 0x0101010101010101U;
      qh[i] = static_cast<std::uint8_t>(bits * 0x0102040810204080U >> 56);
    }
  }

  static void encode(const float* x, BlockQ8_0& b) noexcept {
    const float far = extremes(x).far();
    b.d = to_f16((far < 0 ? -far : far) / 127.0F);
    std::byte codes[32];
    scale(x, {0, inverse_of(b.d), -127, 127, 0}, codes);
    std::memcpy(b.qs, codes, sizeof codes);
  }
  template <int kZero>
  static std::uint16_t encode_about_zero(const float* x, std::byte codes[32]) noexcept {
    constexpr auto kFloat = static_cast<float>(kZero);
    const std::uint16_t d = to_f16(extremes(x).far() / -kFloat);
    scale(x, {0, inverse_of(d), -kFloat, kFloat - 1, kFloat}, codes);
    return d;
  }
  static void encode(const float* x, BlockQ4_0& b) noexcept {
    std::byte codes[32];
    b.d = encode_about_zero<8>(x, codes);
    pack_nibbles(codes, b.qs);
  }
  static void encode(const float* x, BlockQ5_0& b) noexcept {
    std::byte codes[32];
    b.d = encode_about_zero<16>(x, codes);
    pack_nibbles(codes, b.qs);
    pack_fifth_bits(codes, b.qh);
  }
  template <int kMax, class Block>
  static void encode_above_min(const float* x, Block& b, std::byte codes[32]) noexcept {
    const Extremes e = extremes(x);
    b.m = to_f16(e.low);
    b.d = to_f16((e.high - e.low) / static_cast<float>(kMax));
    scale(x, {S::f16_to_f32(b.m), inverse_of(b.d), 0, kMax, 0}, codes);
  }
  static void encode(const float* x, BlockQ4_1& b) noexcept {
    std::byte codes[32];
    encode_above_min<15>(x, b, codes);
    pack_nibbles(codes, b.qs);
  }
  static void encode(const float* x, BlockQ5_1& b) noexcept {
    std::byte codes[32];
    encode_above_min<31>(x, b, codes);
    pack_nibbles(codes, b.qs);
    pack_fifth_bits(codes, b.qh);
  }

  // Between the values of code i and the next: the midpoint, and the distance.
  struct Iq4Steps {
    constexpr Iq4Steps() noexcept : border(), gap() {
      for (int i = 0; i < 15; ++i) {
        border[i] = 0.5F * static_cast<float>(kIq4Values[i] + kIq4Values[i + 1]);
        gap[i] = static_cast<float>(kIq4Values[i + 1] - kIq4Values[i]);
      }
    }
    float border[15], gap[15];
  };
  static constexpr Iq4Steps kIq4Steps{};

  static F nearest_iq4_code(F x) noexcept {
    F code = S::zero();
    for (const float border : kIq4Steps.border)
      code = S::add(code, S::one_if_above(x, S::set1(border)));
    return code;
  }
  static F nearest_iq4_value(F x) noexcept {
    F value = S::set1(kIq4Values[0]);
    for (int i = 0; i < 15; ++i) {
      const F step = S::one_if_above(x, S::set1(kIq4Steps.border[i]));
      value = S::fma(step, S::set1(kIq4Steps.gap[i]), value);
    }
    return value;
  }
  static std::uint16_t refit_iq4(const float* x, std::uint16_t d) noexcept {
    const F inverse = S::set1(inverse_of(d));
    alignas(64) float products[32];
    F squares = S::zero();
    for (int i = 0; i < 32; i += kLanes) {
      const F v = S::load(x + i), q = nearest_iq4_value(S::mul(v, inverse));
      S::store(products + i, S::mul(v, q));
      squares = S::fma(q, q, squares);
    }
    float xq = 0;
    for (const float p : products) xq += p;
    return to_f16(xq / S::sum(squares));
  }
  static void encode(const float* x, BlockIQ4_NL& b) noexcept {
    const std::uint16_t first = to_f16(extremes(x).far() / static_cast<float>(kIq4Values[0]));
    b.d = refit_iq4(x, refit_iq4(x, first));
    const F inverse = S::set1(inverse_of(b.d));
    std::byte codes[32];
    for (int i = 0; i < 32; i += kLanes) {
      S::store_i8(codes + i, S::to_i32(nearest_iq4_code(S::mul(S::load(x + i), inverse))));
    }
    pack_nibbles(codes, b.qs);
  }
};

}  // namespace confab::kernels::generic
