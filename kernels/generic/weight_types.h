// SPDX-License-Identifier: MIT
// Types of quantised weights for generic/matmul_q8.h, over the vocabulary S of an instruction set.
//
// Each says how 256 weights of each of S::kLanes rows, a chunk, become codes and scales, and what
// dots of codes by activations mean. chunk_bytes(): what a chunk takes in a row. Scales, as lanes
// of rows, are filled by scales(). codes(chunk(...), piece) is piece `piece` of a row's codes as a
// vector. dot() is their product with activations, of which a block of 32 has 32 / kSub sums;
// finish() adds these to the result. kAnyBlocks: rows may end inside a chunk.
#pragma once

#include "kernels/unpack/unpack.h"

namespace confab::kernels::generic {

constexpr int kChunk = 256;      // weights of a row that are unpacked together
constexpr int kChunkBlocks = 8;  // blocks of 32 in them

// Types whose codes are unpacked in registers, from the row itself.
template <std::size_t kBytes>
struct InPlace {
  static constexpr std::size_t chunk_bytes() noexcept { return kBytes; }
  template <class Scales>
  static const std::byte* chunk(const Scales&, const std::byte* row, int) noexcept {
    return row;
  }
};

// w = d (code - kOffset); kSigned: codes may be negative, or above 127.
template <class S, class Codes, class Block, int kOffset, bool kSigned>
struct Plain : Codes, InPlace<kChunkBlocks * sizeof(Block)> {
  static constexpr int kSub = 32;
  static constexpr bool kAnyBlocks = true;  // rows may end inside a chunk
  struct Scales {
    typename S::F d[kChunkBlocks];
  };

  static typename S::I dot(typename S::I sum, typename S::B codes, typename S::B x) noexcept {
    if constexpr (kSigned) return S::dot_signed(sum, codes, x);
    return S::dot(sum, codes, x);
  }
  static void scales(const std::byte* const rows[], int n_blocks, Scales& out) noexcept {
    for (int b = 0; b < n_blocks; ++b) {
      out.d[b] = S::gather_f16(rows, static_cast<unsigned>(b) * sizeof(Block));
    }
  }
  static typename S::F finish(const Scales& scales, int b, const typename S::I dots[],
                              const std::byte* meta, typename S::F acc) noexcept {
    const auto x = load_as<Q8Meta>(meta);
    typename S::F sum = S::to_f32(dots[0]);
    if constexpr (kOffset != 0) sum = S::fnma(S::set1(kOffset), S::set1(x.sum), sum);  // exact
    return S::fma(sum, S::mul(scales.d[b], S::set1(x.d)), acc);
  }
};

template <class S, class Codes, class Block>
struct WithMins : Codes, InPlace<sizeof(Block)> {  // w = d sc code - dmin m
  static constexpr int kSub = 32;
  static constexpr bool kAnyBlocks = false;
  struct Scales {
    typename S::F scale[kChunkBlocks];
    typename S::F min[kChunkBlocks];
  };

  static typename S::I dot(typename S::I sum, typename S::B codes, typename S::B x) noexcept {
    return S::dot(sum, codes, x);
  }
  // unpack_scales_k4() on lanes: d, dmin and the 12 bytes of scales are the block's first 16.
  static void scales(const std::byte* const rows[], int, Scales& out) noexcept {
    typename S::I w[4];
    S::gather_words(rows, 0, w);
    const auto d = S::f16_to_f32(w[0]);
    const auto dmin = S::f16_to_f32(S::template shift_right<16>(w[0]));
    const auto six = S::set1_i(0x3f3f3f3fU), four = S::set1_i(0x0f0f0f0fU);
    const auto two = S::set1_i(0x30303030U);
    spread(S::and_(w[1], six), d, out.scale);
    spread(S::and_(w[2], six), dmin, out.min);
    spread(S::or_(S::and_(w[3], four), S::and_(S::template shift_right<2>(w[1]), two)), d,
           out.scale + 4);
    spread(S::or_(S::and_(S::template shift_right<4>(w[3]), four),
                  S::and_(S::template shift_right<2>(w[2]), two)),
           dmin, out.min + 4);
  }
  static typename S::F finish(const Scales& scales, int b, const typename S::I dots[],
                              const std::byte* meta, typename S::F acc) noexcept {
    const auto x = load_as<Q8Meta>(meta);
    const auto scaled = S::mul(S::to_f32(dots[0]), scales.scale[b]);
    return S::fma(S::fnma(scales.min[b], S::set1(x.sum), scaled), S::set1(x.d), acc);
  }

 private:
  // out[i] = d * byte i of each lane.
  static void spread(typename S::I bytes, typename S::F d, typename S::F out[4]) noexcept {
    const auto low = S::set1_i(255);
    out[0] = S::mul(d, S::to_f32(S::and_(bytes, low)));
    out[1] = S::mul(d, S::to_f32(S::and_(S::template shift_right<8>(bytes), low)));
    out[2] = S::mul(d, S::to_f32(S::and_(S::template shift_right<16>(bytes), low)));
    out[3] = S::mul(d, S::to_f32(S::template shift_right<24>(bytes)));
  }
};

template <class S, class Codes>
struct SixBit : Codes, InPlace<sizeof(BlockQ6_K)> {  // w = d sc (code - 32), a scale for 16 weights
  static constexpr int kSub = 16;
  static constexpr bool kAnyBlocks = false;
  struct Scales {
    typename S::F scale[2 * kChunkBlocks];
  };

  static typename S::I dot(typename S::I sum, typename S::B codes, typename S::B x) noexcept {
    return S::dot(sum, codes, x);
  }
  static void scales(const std::byte* const rows[], int, Scales& out) noexcept {
    const auto d = S::gather_f16(rows, offsetof(BlockQ6_K, d));
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
  static typename S::F finish(const Scales& scales, int b, const typename S::I dots[],
                              const std::byte* meta, typename S::F acc) noexcept {
    const auto x = load_as<Q8Meta>(meta);
    const auto offset = S::set1(32);
    const auto low = S::fnma(offset, S::set1(x.sum_lo), S::to_f32(dots[0]));  // exact
    const auto high = S::fnma(offset, S::set1(x.sum_hi), S::to_f32(dots[1]));
    const auto scaled = S::fma(high, scales.scale[2 * b + 1], S::mul(low, scales.scale[2 * b]));
    return S::fma(scaled, S::set1(x.d), acc);
  }
};

// Any type, through unpack/: w = scale q - min, both for 16 weights.
template <class S>
class Unpacking {
 public:
  static constexpr int kSub = 16;
  static constexpr bool kAnyBlocks = true;
  struct Scales {
    Unpacked rows[S::kLanes] = {};
    typename S::F scale[2 * kChunkBlocks];
    typename S::F min[2 * kChunkBlocks];
  };

  explicit Unpacking(Dtype dtype) noexcept
      : unpack_(unpack_of(dtype)), chunk_bytes_(row_bytes(dtype, kChunk)) {}

  std::size_t chunk_bytes() const noexcept { return chunk_bytes_; }
  void scales(const std::byte* const rows[], int n_blocks, Scales& out) const noexcept {
    for (int r = 0; r < S::kLanes; ++r) unpack_(rows[r], 32 * n_blocks, out.rows[r]);
    for (int j = 0; j < 2 * kChunkBlocks; j += S::kLanes) {
      typename S::I scale[S::kLanes], min[S::kLanes];
      for (int r = 0; r < S::kLanes; ++r) {
        scale[r] = S::bits(S::load(out.rows[r].scale + j));
        min[r] = S::bits(S::load(out.rows[r].min + j));
      }
      S::transpose(scale);
      S::transpose(min);
      for (int i = 0; i < S::kLanes; ++i) {
        out.scale[j + i] = S::from_bits(scale[i]);
        out.min[j + i] = S::from_bits(min[i]);
      }
    }
  }
  static const std::byte* chunk(const Scales& scales, const std::byte*, int r) noexcept {
    return reinterpret_cast<const std::byte*>(scales.rows[r].q);
  }
  static typename S::B codes(const std::byte* q, int piece) noexcept {
    constexpr int kBytes = static_cast<int>(sizeof(typename S::B));
    return S::raise_signed(S::load_bytes(q + piece * kBytes));
  }
  static typename S::B low_codes(const std::byte* q, int piece) noexcept { return codes(q, piece); }
  static typename S::I dot(typename S::I sum, typename S::B codes, typename S::B x) noexcept {
    return S::dot_signed(sum, codes, x);
  }
  static typename S::F finish(const Scales& scales, int b, const typename S::I dots[],
                              const std::byte* meta, typename S::F acc) noexcept {
    const auto x = load_as<Q8Meta>(meta);
    const auto sum_lo = S::set1(x.sum_lo), sum_hi = S::set1(x.sum_hi);
    const auto offset = S::set1(S::kSignedOffset);
    const auto low = S::fnma(offset, sum_lo, S::to_f32(dots[0]));  // exact
    const auto high = S::fnma(offset, sum_hi, S::to_f32(dots[1]));
    auto scaled = S::mul(low, scales.scale[2 * b]);
    scaled = S::fnma(scales.min[2 * b], sum_lo, scaled);
    scaled = S::fma(high, scales.scale[2 * b + 1], scaled);
    scaled = S::fnma(scales.min[2 * b + 1], sum_hi, scaled);
    return S::fma(scaled, S::set1(x.d), acc);
  }

 private:
  UnpackChunk unpack_;
  std::size_t chunk_bytes_;
};

}  // namespace confab::kernels::generic
