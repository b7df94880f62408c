// SPDX-License-Identifier: MIT
// Converts rows of f32 to the types that a cache can have. This runs for every token, so a block is
// encoded without a search: the extremes give the scale. The scale is rounded to f16 first, and the
// codes are chosen for the rounded scale.
#include <cassert>
#include <cmath>

#include "kernels/block_iq.h"
#include "kernels/scalar/scalar.h"

namespace confab::kernels::scalar {
namespace {

constexpr float kMaxF16 = 65504.0F;

// Never gives infinity or a negative zero.
std::uint16_t to_f16(float x) noexcept {
  return f32_to_f16((x < -kMaxF16 ? -kMaxF16 : x > kMaxF16 ? kMaxF16 : x) + 0.0F);
}
float inverse_of(std::uint16_t d) noexcept {
  const float f = f16_to_f32(d);
  return f != 0 ? 1.0F / f : 0.0F;
}
int round_within(float x, float low, float high) noexcept {
  return round_to_int(x < low ? low : x > high ? high : x);
}

struct Extremes {
  float low, high;
  // The extreme farther from zero.
  float far() const noexcept { return -low > high ? low : high; }
};

Extremes extremes(const float* x) noexcept {
  Extremes e{x[0], x[0]};
  for (int i = 1; i < 32; ++i) {
    e.low = x[i] < e.low ? x[i] : e.low;
    e.high = x[i] > e.high ? x[i] : e.high;
  }
  return e;
}

// Puts code i in the low half of byte i and code 16 + i in its high half. Fifth bits go to qh.
void pack_nibbles(const std::uint8_t codes[32], std::uint8_t qs[16]) noexcept {
  for (int i = 0; i < 16; ++i)
    qs[i] = static_cast<std::uint8_t>((codes[i] & 15) | (codes[i + 16] & 15) << 4);
}
void pack_fifth_bits(const std::uint8_t codes[32], std::uint8_t qh[4]) noexcept {
  for (int i = 0; i < 4; ++i) {
    int bits = 0;
    for (int j = 0; j < 8; ++j) bits |= (codes[8 * i + j] >> 4 & 1) << j;
    qh[i] = static_cast<std::uint8_t>(bits);
  }
}

void encode(const float* x, BlockQ8_0& b) noexcept {
  const Extremes e = extremes(x);
  b.d = to_f16(std::fabs(e.far()) / 127.0F);
  const float inverse = inverse_of(b.d);
  for (int i = 0; i < 32; ++i)
    b.qs[i] = static_cast<std::int8_t>(round_within(x[i] * inverse, -127, 127));
}

// Codes start at 0, and kZero stands for zero. There is one more number below it than above, so the
// value farthest from zero gets code 0.
template <int kZero>
std::uint16_t encode_about_zero(const float* x, std::uint8_t codes[32]) noexcept {
  const std::uint16_t d = to_f16(extremes(x).far() / -static_cast<float>(kZero));
  const float inverse = inverse_of(d);
  for (int i = 0; i < 32; ++i) {
    const int q = round_within(x[i] * inverse, -static_cast<float>(kZero), kZero - 1) + kZero;
    codes[i] = static_cast<std::uint8_t>(q);
  }
  return d;
}

void encode(const float* x, BlockQ4_0& b) noexcept {
  std::uint8_t codes[32];
  b.d = encode_about_zero<8>(x, codes);
  pack_nibbles(codes, b.qs);
}

void encode(const float* x, BlockQ5_0& b) noexcept {
  std::uint8_t codes[32];
  b.d = encode_about_zero<16>(x, codes);
  pack_nibbles(codes, b.qs);
  pack_fifth_bits(codes, b.qh);
}

// Codes run from 0 at the minimum to kMax at the maximum.
template <int kMax, class Block>
void encode_above_min(const float* x, Block& b, std::uint8_t codes[32]) noexcept {
  const Extremes e = extremes(x);
  b.m = to_f16(e.low);
  b.d = to_f16((e.high - e.low) / static_cast<float>(kMax));
  const float min = f16_to_f32(b.m), inverse = inverse_of(b.d);
  for (int i = 0; i < 32; ++i) {
    codes[i] = static_cast<std::uint8_t>(round_within((x[i] - min) * inverse, 0, kMax));
  }
}

void encode(const float* x, BlockQ4_1& b) noexcept {
  std::uint8_t codes[32];
  encode_above_min<15>(x, b, codes);
  pack_nibbles(codes, b.qs);
}

void encode(const float* x, BlockQ5_1& b) noexcept {
  std::uint8_t codes[32];
  encode_above_min<31>(x, b, codes);
  pack_nibbles(codes, b.qs);
  pack_fifth_bits(codes, b.qh);
}

// The code with the nearest value. Values grow with the code.
int nearest_iq4(float x) noexcept {
  int code = 0;
  for (int i = 0; i < 15; ++i)
    code += x > 0.5F * static_cast<float>(kIq4Values[i] + kIq4Values[i + 1]) ? 1 : 0;
  return code;
}

// The least-squares scale for the codes that are best for `d`.
std::uint16_t refit_iq4(const float* x, std::uint16_t d) noexcept {
  const float inverse = inverse_of(d);
  float xq = 0, qq = 0;
  for (int i = 0; i < 32; ++i) {
    const auto q = static_cast<float>(kIq4Values[nearest_iq4(x[i] * inverse)]);
    xq += x[i] * q;
    qq += q * q;  // a whole number below 2^24, so exact
  }
  return to_f16(xq / qq);
}

// The values are unevenly spaced, so the farthest one says little about the best scale. The scale
// is therefore fitted twice.
void encode(const float* x, BlockIQ4_NL& b) noexcept {
  const std::uint16_t first = to_f16(extremes(x).far() / static_cast<float>(kIq4Values[0]));
  b.d = refit_iq4(x, refit_iq4(x, first));
  const float inverse = inverse_of(b.d);
  std::uint8_t codes[32];
  for (int i = 0; i < 32; ++i) codes[i] = static_cast<std::uint8_t>(nearest_iq4(x[i] * inverse));
  pack_nibbles(codes, b.qs);
}

template <class Block>
void encode_blocks(const float* in, std::int64_t n, std::byte* out) noexcept {
  for (std::int64_t i = 0; i < n; i += 32, out += sizeof(Block)) {
    Block b;
    encode(in + i, b);
    std::memcpy(out, &b, sizeof b);
  }
}

void narrow(const float* in, std::int64_t n, std::byte* out,
            std::uint16_t (*convert)(float) noexcept) noexcept {
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint16_t h = convert(in[i]);
    std::memcpy(out + 2 * i, &h, sizeof h);
  }
}

}  // namespace

void encode_row(Dtype dtype, const float* in, std::int64_t n, std::byte* out) noexcept {
  switch (dtype) {
    case Dtype::F32:
      std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
      return;
    case Dtype::F16:
      return narrow(in, n, out, f32_to_f16);
    case Dtype::BF16:
      return narrow(in, n, out, f32_to_bf16);
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
      assert(false);  // encode_row() does not accept this type
      return;
  }
}

}  // namespace confab::kernels::scalar
