// SPDX-License-Identifier: MIT
// The scales and minimums of a chunk of S::kLanes rows, with row r in lane r. These are the Readers
// of weight_types.h, one for each way in which blocks store scales. kSub is the number of weights
// that share a scale. If kAnyBlocks, a row may end inside a chunk, and only n_blocks blocks of 32
// exist.
#pragma once

#include "kernels/block_iq.h"

namespace confab::kernels::generic {

constexpr int kChunk = 256;      // weights of a row that are unpacked together
constexpr int kChunkBlocks = 8;  // blocks of 32 in a chunk

template <class S, int kSub, bool kMins>
struct LaneScales {
  typename S::F scale[kChunk / kSub];
  typename S::F min[kMins ? kChunk / kSub : 1];
};

// out[i] = d * (byte i of each lane - kCentre).
template <class S, int kCentre = 0>
static void spread_bytes(typename S::I bytes, typename S::F d, typename S::F out[4]) noexcept {
  const auto low = S::set1_i(255);
  const auto scaled = [&](typename S::I byte) {
    const auto number = S::to_f32(byte);
    return S::mul(d, kCentre == 0 ? number : S::sub(number, S::set1(kCentre)));
  };
  out[0] = scaled(S::and_(bytes, low));
  out[1] = scaled(S::and_(S::template shift_right<8>(bytes), low));
  out[2] = scaled(S::and_(S::template shift_right<16>(bytes), low));
  out[3] = scaled(S::template shift_right<24>(bytes));
}

// The f16 at kOffset of the blocks that start `at` bytes after rows[r]. Some instruction sets have
// a faster way than gathering if the f16 is at either end of 16 bytes of a block.
template <class S, class Block, std::size_t kOffset>
static typename S::F f16_of_blocks(const std::byte* const rows[], std::size_t at) noexcept {
  if constexpr (requires { S::template gather_f16_of_16<true>(rows, at); }) {
    if constexpr (kOffset + 16 <= sizeof(Block)) {
      return S::template gather_f16_of_16<true>(rows, at + kOffset);
    } else if constexpr (kOffset >= 14) {
      return S::template gather_f16_of_16<false>(rows, at + kOffset - 14);
    }
  }
  return S::gather_f16(rows, at + kOffset);
}

// Blocks with one d for kWidth weights.
template <class S, class Block, int kWidth = 32>
struct ScaleOfBlock {
  static constexpr int kSub = 32;
  static constexpr bool kMins = false, kAnyBlocks = kWidth < kChunk;
  static constexpr std::size_t kChunkBytes = kChunk / kWidth * sizeof(Block);

  static void read(const std::byte* const rows[], int n_blocks,
                   LaneScales<S, kSub, kMins>& out) noexcept {
    for (int b = 0; b < n_blocks; b += kWidth / kSub) {
      const std::size_t at = static_cast<unsigned>(b * kSub / kWidth) * sizeof(Block);
      const auto d = f16_of_blocks<S, Block, offsetof(Block, d)>(rows, at);
      for (int i = 0; i < kWidth / kSub; ++i) out.scale[b + i] = d;
    }
  }
};

// Blocks of 32 that start with d and m: Q4_1, Q5_1.
template <class S, class Block>
struct ScaleAndMinOfBlock {
  static constexpr int kSub = 32;
  static constexpr bool kMins = true, kAnyBlocks = true;
  static constexpr std::size_t kChunkBytes = kChunkBlocks * sizeof(Block);

  static void read(const std::byte* const rows[], int n_blocks,
                   LaneScales<S, kSub, kMins>& out) noexcept {
    for (int b = 0; b < n_blocks; ++b) {
      const std::size_t at = static_cast<unsigned>(b) * sizeof(Block);
      out.scale[b] = f16_of_blocks<S, Block, offsetof(Block, d)>(rows, at);
      out.min[b] = S::sub(S::zero(), f16_of_blocks<S, Block, offsetof(Block, m)>(rows, at));
    }
  }
};

template <class S>
struct ScaleOfMXFP4 {
  static constexpr int kSub = 32;
  static constexpr bool kMins = false, kAnyBlocks = true;
  static constexpr std::size_t kChunkBytes = kChunkBlocks * sizeof(BlockMXFP4);

  static void read(const std::byte* const rows[], int n_blocks,
                   LaneScales<S, kSub, kMins>& out) noexcept {
    for (int b = 0; b < n_blocks; ++b) {
      out.scale[b] =
          half_of_e8m0(S::gather_u8(rows, static_cast<unsigned>(b) * sizeof(BlockMXFP4)));
    }
  }
  // The lanes version of half_of_e8m0() in block.h.
  static typename S::F half_of_e8m0(typename S::I e) noexcept {
    const auto half = S::template shift_right<1>(e);
    const auto other = S::template shift_right<1>(S::add(e, S::set1_i(1)));
    return S::mul(pow2(half), pow2(other));
  }

 private:
  // 2^(e - 64) for e <= 128. Two of them make 2^(e - 128) for any byte, subnormal or not.
  static typename S::F pow2(typename S::I e) noexcept {
    return S::from_bits(S::template shift_left<23>(S::add(e, S::set1_i(63))));
  }
};

template <class S>
struct ScalesNVFP4 {
  static constexpr int kSub = 16;
  static constexpr bool kMins = false, kAnyBlocks = true;
  static constexpr std::size_t kChunkBytes = kChunk / 64 * sizeof(BlockNVFP4);

  static void read(const std::byte* const rows[], int n_blocks,
                   LaneScales<S, kSub, kMins>& out) noexcept {
    for (int j = 0; j < 2 * n_blocks; ++j) {
      const std::size_t at = static_cast<unsigned>(j) / 4 * sizeof(BlockNVFP4) + j % 4;
      out.scale[j] = half_of_ue4m3(S::gather_u8(rows, at));
    }
  }
  // Half of kUE4M3Values, for codes that are doubled. Except for its bias, the format is an f16
  // whose last bits are zero.
  static typename S::F half_of_ue4m3(typename S::I x) noexcept {
    const auto f16 = S::template shift_left<7>(S::and_(x, S::set1_i(127)));
    return S::zero_where_equal(S::mul(S::f16_to_f32(f16), S::set1(128)), x, S::set1_i(127));
  }
};

// unpack_scales_k4() on lanes, for Q4_K and Q5_K. A block starts with 16 bytes of d, dmin and
// scales.
template <class S, class Block>
struct ScalesK4 {
  static constexpr int kSub = 32;
  static constexpr bool kMins = true, kAnyBlocks = false;
  static constexpr std::size_t kChunkBytes = sizeof(Block);

  static void read(const std::byte* const rows[], int, LaneScales<S, kSub, kMins>& out) noexcept {
    typename S::I w[4];
    S::gather_words(rows, 0, w);
    const auto d = S::f16_to_f32(w[0]);
    const auto dmin = S::f16_to_f32(S::template shift_right<16>(w[0]));
    const auto six = S::set1_i(0x3f3f3f3fU), four = S::set1_i(0x0f0f0f0fU);
    const auto two = S::set1_i(0x30303030U);
    const auto high_sc = S::and_(S::template shift_right<2>(w[1]), two);
    const auto high_m = S::and_(S::template shift_right<2>(w[2]), two);
    const auto low_m = S::and_(S::template shift_right<4>(w[3]), four);
    spread_bytes<S>(S::and_(w[1], six), d, out.scale);
    spread_bytes<S>(S::and_(w[2], six), dmin, out.min);
    spread_bytes<S>(S::or_(S::and_(w[3], four), high_sc), d, out.scale + 4);
    spread_bytes<S>(S::or_(low_m, high_m), dmin, out.min + 4);
  }
};

template <class S>
struct ScalesQ2_K {
  static constexpr int kSub = 16;
  static constexpr bool kMins = true, kAnyBlocks = false;
  static constexpr std::size_t kChunkBytes = sizeof(BlockQ2_K);

  static void read(const std::byte* const rows[], int, LaneScales<S, kSub, kMins>& out) noexcept {
    const auto d = f16_of_blocks<S, BlockQ2_K, offsetof(BlockQ2_K, d)>(rows, 0);
    const auto dmin = f16_of_blocks<S, BlockQ2_K, offsetof(BlockQ2_K, dmin)>(rows, 0);
    const auto four = S::set1_i(0x0f0f0f0fU);
    typename S::I w[4];
    S::gather_words(rows, offsetof(BlockQ2_K, scales), w);
    for (int i = 0; i < 4; ++i) {
      spread_bytes<S>(S::and_(w[i], four), d, out.scale + 4 * i);
      spread_bytes<S>(S::and_(S::template shift_right<4>(w[i]), four), dmin, out.min + 4 * i);
    }
  }
};

// unpack_scales_q3_k() on lanes.
template <class S>
struct ScalesQ3_K {
  static constexpr int kSub = 16;
  static constexpr bool kMins = false, kAnyBlocks = false;
  static constexpr std::size_t kChunkBytes = sizeof(BlockQ3_K);

  static void read(const std::byte* const rows[], int, LaneScales<S, kSub, kMins>& out) noexcept {
    const auto d = f16_of_blocks<S, BlockQ3_K, offsetof(BlockQ3_K, d)>(rows, 0);
    // the scales are the last three words; 16 bytes starting at the scales could end past the block
    typename S::I w[4];
    S::gather_words(rows, offsetof(BlockQ3_K, scales) - 4, w);
    const auto four = S::set1_i(0x0f0f0f0fU), two = S::set1_i(0x30303030U);
    const auto six = [&](typename S::I low, typename S::I high) {
      return S::or_(S::and_(low, four), S::and_(high, two));
    };
    const auto put = [&](typename S::I bytes, int at) {
      spread_bytes<S, 32>(bytes, d, out.scale + at);
    };
    put(six(w[1], S::template shift_left<4>(w[3])), 0);
    put(six(w[2], S::template shift_left<2>(w[3])), 4);
    put(six(S::template shift_right<4>(w[1]), w[3]), 8);
    put(six(S::template shift_right<4>(w[2]), S::template shift_right<2>(w[3])), 12);
  }
};

template <class S>
struct ScalesQ6_K {
  static constexpr int kSub = 16;
  static constexpr bool kMins = false, kAnyBlocks = false;
  static constexpr std::size_t kChunkBytes = sizeof(BlockQ6_K);

  static void read(const std::byte* const rows[], int, LaneScales<S, kSub, kMins>& out) noexcept {
    const auto d = f16_of_blocks<S, BlockQ6_K, offsetof(BlockQ6_K, d)>(rows, 0);
    typename S::I w[4];
    S::gather_words(rows, offsetof(BlockQ6_K, scales), w);
    for (int i = 0; i < 4; ++i) {  // signed bytes
      const auto byte = [&](typename S::I moved_to_the_top) {
        return S::mul(d, S::to_f32(S::shift_right_signed_24(moved_to_the_top)));
      };
      out.scale[4 * i] = byte(S::template shift_left<24>(w[i]));
      out.scale[4 * i + 1] = byte(S::template shift_left<16>(w[i]));
      out.scale[4 * i + 2] = byte(S::template shift_left<8>(w[i]));
      out.scale[4 * i + 3] = byte(w[i]);
    }
  }
};

// A block starts with 8 bytes of d, scales_h and scales_l.
template <class S>
struct ScalesIQ4_XS {
  static constexpr int kSub = 32;
  static constexpr bool kMins = false, kAnyBlocks = false;
  static constexpr std::size_t kChunkBytes = sizeof(BlockIQ4_XS);

  static void read(const std::byte* const rows[], int, LaneScales<S, kSub, kMins>& out) noexcept {
    typename S::I w[4];
    S::gather_words(rows, 0, w);
    const auto d = S::f16_to_f32(w[0]);
    const auto high = S::template shift_right<16>(w[0]);
    typename S::F even[4], odd[4];
    spread_bytes<S, 32>(six_bits(w[1], high), d, even);
    const auto odd_low = S::template shift_right<4>(w[1]);
    spread_bytes<S, 32>(six_bits(odd_low, S::template shift_right<2>(high)), d, odd);
    for (int i = 0; i < 4; ++i) {
      out.scale[2 * i] = even[i];
      out.scale[2 * i + 1] = odd[i];
    }
  }

 private:
  // Combines the low half of each byte with two bits of `high`, taken from every fourth bit.
  static typename S::I six_bits(typename S::I low, typename S::I high) noexcept {
    auto bits = S::and_(high, S::set1_i(0x3333U));
    bits = S::and_(S::or_(bits, S::template shift_left<8>(bits)), S::set1_i(0x00ff00ffU));
    bits = S::and_(S::or_(bits, S::template shift_left<4>(bits)), S::set1_i(0x0f0f0f0fU));
    return S::or_(S::and_(low, S::set1_i(0x0f0f0f0fU)), S::template shift_left<4>(bits));
  }
};

}  // namespace confab::kernels::generic
