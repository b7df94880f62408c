// SPDX-License-Identifier: MIT
// Types of quantised weights for generic/matmul_q8.h, over the vocabulary S of an instruction set.
//
// Each says how 256 weights of each of S::kLanes rows, a chunk, become codes and scales, and what
// dots of codes by activations mean. chunk_bytes(): what a chunk takes in a row. Scales, as lanes
// of rows, are filled by scales(). codes(chunk(...), piece) is piece `piece` of a row's codes as a
// vector. dot() is their product with activations, of which a block of 32 has 32 / kSub sums;
// finish() adds these to the result. kAnyBlocks: rows may end inside a chunk.
#pragma once

#include "kernels/generic/lane_scales.h"
#include "kernels/unpack/unpack.h"

namespace confab::kernels::generic {

// w = scale (code - kOffset) - min, both for each kSub weights. `dots` are exact, and stay so when
// the offset is taken out.
template <class S, int kSub, bool kMins, int kOffset, class Scales>
static typename S::F add_block(const Scales& scales, int b, const typename S::I dots[],
                               const std::byte* meta, typename S::F acc) noexcept {
  using F = typename S::F;
  const auto x = load_as<Q8Meta>(meta);
  const auto centred = [&](typename S::I dot, F sum) {
    return kOffset == 0 ? S::to_f32(dot) : S::fnma(S::set1(kOffset), sum, S::to_f32(dot));
  };
  if constexpr (kSub == 16) {
    const F sum_lo = S::set1(x.sum_lo), sum_hi = S::set1(x.sum_hi);
    F scaled = S::mul(centred(dots[0], sum_lo), scales.scale[2 * b]);
    if constexpr (kMins) scaled = S::fnma(scales.min[2 * b], sum_lo, scaled);
    scaled = S::fma(centred(dots[1], sum_hi), scales.scale[2 * b + 1], scaled);
    if constexpr (kMins) scaled = S::fnma(scales.min[2 * b + 1], sum_hi, scaled);
    return S::fma(scaled, S::set1(x.d), acc);
  } else if constexpr (kMins) {
    const F sum = S::set1(x.sum);
    const F scaled = S::mul(centred(dots[0], sum), scales.scale[b]);
    return S::fma(S::fnma(scales.min[b], sum, scaled), S::set1(x.d), acc);
  } else {
    return S::fma(centred(dots[0], S::set1(x.sum)), S::mul(scales.scale[b], S::set1(x.d)), acc);
  }
}

// Types whose codes are unpacked in registers (codes.h) and whose scales a Reader takes to lanes
// (lane_scales.h). kSigned: codes may be negative, or above 127.
template <class S, class Codes, class Reader, int kOffset, bool kSigned = false>
struct InRegisters {
  static constexpr int kSub = Reader::kSub;
  static constexpr bool kAnyBlocks = Reader::kAnyBlocks;
  using Scales = LaneScales<S, kSub, Reader::kMins>;

  explicit InRegisters(Dtype) noexcept {}

  static constexpr std::size_t chunk_bytes() noexcept { return Reader::kChunkBytes; }
  static void scales(const std::byte* const rows[], int n_blocks, Scales& out) noexcept {
    Reader::read(rows, n_blocks, out);
  }
  static const std::byte* chunk(const Scales&, const std::byte* row, int) noexcept { return row; }
  static typename S::B codes(const std::byte* p, int piece) noexcept {
    return kSigned ? S::raise_signed(Codes::codes(p, piece)) : Codes::codes(p, piece);
  }
  static typename S::B low_codes(const std::byte* p, int piece) noexcept {
    return kSigned ? S::raise_signed(Codes::low_codes(p, piece)) : Codes::low_codes(p, piece);
  }
  static typename S::I dot(typename S::I sum, typename S::B codes, typename S::B x) noexcept {
    return kSigned ? S::dot_signed(sum, codes, x) : S::dot(sum, codes, x);
  }
  static typename S::F finish(const Scales& scales, int b, const typename S::I dots[],
                              const std::byte* meta, typename S::F acc) noexcept {
    constexpr int kWhole = kOffset + (kSigned ? S::kSignedOffset : 0);
    return add_block<S, kSub, Reader::kMins, kWhole>(scales, b, dots, meta, acc);
  }
};

// Any type, by way of unpack/ and memory.
template <class S>
class Unpacking {
 public:
  static constexpr int kSub = 16;
  static constexpr bool kAnyBlocks = true;
  struct Scales : LaneScales<S, kSub, true> {
    Unpacked rows[S::kLanes] = {};
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
    return add_block<S, kSub, true, S::kSignedOffset>(scales, b, dots, meta, acc);
  }

 private:
  UnpackChunk unpack_;
  std::size_t chunk_bytes_;
};

}  // namespace confab::kernels::generic
