// SPDX-License-Identifier: MIT
// Unpacks the codes of quantised weights to bytes in a pair of registers, for generic/. In each
// struct, codes(p, slice) returns weights 32 slice to 32 slice + 31 of the 256 that start at p.
// generic/table.h gives the difference between a code and the weight's number.
#pragma once

#include "kernels/block_iq.h"
#include "kernels/neon/simd.h"

namespace confab::kernels {
namespace {

uint8x16_t load_16(const std::byte* p) noexcept {
  return vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
}

Simd::B pair(uint8x16_t lo, uint8x16_t hi) noexcept {
  return {vreinterpretq_s32_u8(lo), vreinterpretq_s32_u8(hi)};
}

uint8x16_t low_halves(uint8x16_t packed) noexcept {
  return vandq_u8(packed, vdupq_n_u8(15));
}
uint8x16_t high_halves(uint8x16_t packed) noexcept {
  return vshrq_n_u8(packed, 4);
}

// `value` in each byte whose bit is set, for the bits of two bytes.
uint8x16_t spread_bits(const std::byte* p, std::uint8_t value) noexcept {
  const auto* b = reinterpret_cast<const std::uint8_t*>(p);
  const uint8x16_t spread = vcombine_u8(vdup_n_u8(b[0]), vdup_n_u8(b[1]));
  const uint8x16_t own = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201U));
  return vandq_u8(vtstq_u8(spread, own), vdupq_n_u8(value));
}

// Bits [shift, shift + log2(mask + 1)) of each byte.
uint8x16_t bits_of_bytes(const std::byte* p, int shift, std::uint8_t mask) noexcept {
  const uint8x16_t shifted = vshlq_u8(load_16(p), vdupq_n_s8(static_cast<std::int8_t>(-shift)));
  return vandq_u8(shifted, vdupq_n_u8(mask));
}

// The low or the high halves of bytes that hold two 4-bit codes.
uint8x16_t halves(const std::byte* p, bool high) noexcept {
  const uint8x16_t packed = load_16(p);
  return high ? high_halves(packed) : low_halves(packed);
}
// `codes` with the bits of `mask` replaced by bits that are `shift` lower in the bytes at p.
uint8x16_t with_bits(uint8x16_t codes, std::uint8_t mask, const std::byte* p, int shift) noexcept {
  const uint8x16_t bits = vshlq_u8(load_16(p), vdupq_n_s8(static_cast<std::int8_t>(shift)));
  return vbslq_u8(vdupq_n_u8(mask), bits, codes);
}

uint8x16_t look_up(const std::int8_t values[16], uint8x16_t codes) noexcept {
  return vreinterpretq_u8_s8(vqtbl1q_s8(vld1q_s8(values), codes));
}

// The address of a part of block `slice`, for blocks of 32.
template <class Block>
const std::byte* block_at(const std::byte* p, int slice, std::size_t offset) noexcept {
  return p + sizeof(Block) * static_cast<unsigned>(slice) + offset;
}

struct CodesQ8_0 {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    return Simd::load_bytes(block_at<BlockQ8_0>(p, slice, offsetof(BlockQ8_0, qs)));
  }
};

template <class Block>  // Q4_0, Q4_1
struct CodesOf4Bits {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const uint8x16_t packed = load_16(block_at<Block>(p, slice, offsetof(Block, qs)));
    return pair(low_halves(packed), high_halves(packed));
  }
};

template <class Block>  // Q5_0, Q5_1
struct CodesOf5Bits {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const uint8x16_t packed = load_16(block_at<Block>(p, slice, offsetof(Block, qs)));
    const std::byte* qh = block_at<Block>(p, slice, offsetof(Block, qh));
    return pair(vorrq_u8(low_halves(packed), spread_bits(qh, 16)),
                vorrq_u8(high_halves(packed), spread_bits(qh + 2, 16)));
  }
};

struct CodesIQ4_NL {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const uint8x16_t packed = load_16(block_at<BlockIQ4_NL>(p, slice, offsetof(BlockIQ4_NL, qs)));
    return pair(look_up(kIq4Values, low_halves(packed)), look_up(kIq4Values, high_halves(packed)));
  }
};

struct CodesIQ4_XS {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const uint8x16_t packed = load_16(p + offsetof(BlockIQ4_XS, qs) + 16 * slice);
    return pair(look_up(kIq4Values, low_halves(packed)), look_up(kIq4Values, high_halves(packed)));
  }
};

struct CodesMXFP4 {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const uint8x16_t packed = load_16(block_at<BlockMXFP4>(p, slice, offsetof(BlockMXFP4, qs)));
    return pair(look_up(kE2M1Raised, low_halves(packed)),
                look_up(kE2M1Raised, high_halves(packed)));
  }
};

struct CodesNVFP4 {  // the halves of each 8 bytes are 8 codes apart
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = block_at<BlockNVFP4>(p, slice / 2, offsetof(BlockNVFP4, qs));
    const uint8x16_t packed = load_16(qs + 16 * (slice % 2));
    const uint8x16_t low = look_up(kE2M1Raised, low_halves(packed));
    const uint8x16_t high = look_up(kE2M1Raised, high_halves(packed));
    return pair(vcombine_u8(vget_low_u8(low), vget_low_u8(high)),
                vcombine_u8(vget_high_u8(low), vget_high_u8(high)));
  }
};

struct CodesQ1_0 {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = block_at<BlockQ1_0>(p, slice / 4, offsetof(BlockQ1_0, qs));
    const std::byte* own = qs + 4 * (slice % 4);
    return pair(spread_bits(own, 2), spread_bits(own + 2, 2));
  }
};

struct CodesQ2_0 {  // each byte's four codes become the four bytes of a word
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = block_at<BlockQ2_0>(p, slice / 2, offsetof(BlockQ2_0, qs));
    const std::byte* own = qs + 8 * (slice % 2);
    return pair(four_bytes(own), four_bytes(own + 4));
  }

 private:
  static uint8x16_t four_bytes(const std::byte* p) noexcept {
    const uint8x16_t packed = vreinterpretq_u8_u32(vdupq_n_u32(load_as<std::uint32_t>(p)));
    const uint8x8_t low_twos = vreinterpret_u8_u64(vdup_n_u64(0x0101010100000000U));
    const uint8x16_t source = vcombine_u8(low_twos, vadd_u8(low_twos, vdup_n_u8(2)));
    const int8x16_t shift = vreinterpretq_s8_u32(vdupq_n_u32(0xfafcfe00U));  // 0, -2, -4, -6
    return vandq_u8(vshlq_u8(vqtbl1q_u8(packed, source), shift), vdupq_n_u8(3));
  }
};

// Two bits of each of 32 bytes.
Simd::B two_bits(const std::byte* qs, int shift) noexcept {
  return pair(bits_of_bytes(qs, shift, 3), bits_of_bytes(qs + 16, shift, 3));
}

struct CodesTQ2_0 {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    return two_bits(p + offsetof(BlockTQ2_0, qs) + 32 * (slice / 4), 2 * (slice % 4));
  }
};

struct CodesQ2_K {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    return two_bits(p + offsetof(BlockQ2_K, qs) + 32 * (slice / 4), 2 * (slice % 4));
  }
};

struct CodesQ3_K {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = p + offsetof(BlockQ3_K, qs) + 32 * (slice / 4);
    const std::byte* hmask = p + offsetof(BlockQ3_K, hmask);
    const auto half = [&](int at) {
      return with_bits(bits_of_bytes(qs + at, 2 * (slice % 4), 3), 4, hmask + at, 2 - slice);
    };
    return pair(half(0), half(16));
  }
};

struct CodesQ4_K {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = p + offsetof(BlockQ4_K, qs) + 32 * (slice / 2);
    const bool high = slice % 2 != 0;
    return pair(halves(qs, high), halves(qs + 16, high));
  }
};

struct CodesQ5_K {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const std::byte* qs = p + offsetof(BlockQ5_K, qs) + 32 * (slice / 2);
    const std::byte* qh = p + offsetof(BlockQ5_K, qh);
    const auto half = [&](int at) {
      return with_bits(halves(qs + at, slice % 2 != 0), 16, qh + at, 4 - slice);
    };
    return pair(half(0), half(16));
  }
};

struct CodesQ6_K {
  static Simd::B codes(const std::byte* p, int slice) noexcept {
    const int c = slice % 4;
    const std::byte* ql = p + offsetof(BlockQ6_K, ql) + 64 * (slice / 4) + 32 * (c % 2);
    const std::byte* qh = p + offsetof(BlockQ6_K, qh) + 32 * (slice / 4);
    const auto half = [&](int at) {
      return with_bits(halves(ql + at, c / 2 != 0), 48, qh + at, 4 - 2 * c);
    };
    return pair(half(0), half(16));
  }
};

struct Codes {
  using Q4_0 = CodesOf4Bits<BlockQ4_0>;
  using Q4_1 = CodesOf4Bits<BlockQ4_1>;
  using Q5_0 = CodesOf5Bits<BlockQ5_0>;
  using Q5_1 = CodesOf5Bits<BlockQ5_1>;
  using Q8_0 = CodesQ8_0;
  using IQ4_NL = CodesIQ4_NL;
  using MXFP4 = CodesMXFP4;
  using NVFP4 = CodesNVFP4;
  using Q1_0 = CodesQ1_0;
  using Q2_0 = CodesQ2_0;
  using TQ2_0 = CodesTQ2_0;
  using Q2_K = CodesQ2_K;
  using Q3_K = CodesQ3_K;
  using Q4_K = CodesQ4_K;
  using Q5_K = CodesQ5_K;
  using Q6_K = CodesQ6_K;
  using IQ4_XS = CodesIQ4_XS;
};

}  // namespace
}  // namespace confab::kernels
