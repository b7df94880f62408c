// SPDX-License-Identifier: MIT
// Types of quantised weights for generic/matmul_q8.h, over the vocabulary S of an instruction set.
//
// Each says how 256 weights of each of S::kLanes rows, a chunk, become codes and scales; codes are
// kOffset higher than what scales multiply, and Form says what their dots mean. chunk_bytes(): what
// a chunk takes in a row. Scales, as lanes of rows, are filled by scales(). codes(chunk(...),
// piece) is piece `piece` of a row's codes as a vector. RowCodes is one row's view of the chunks
// that hold S::kLanes blocks, for decoding. kAnyBlocks: rows may end inside a chunk.
#pragma once

#include "kernels/generic/block_scales.h"
#include "kernels/generic/lane_scales.h"
#include "kernels/generic/odd_scales.h"
#include "kernels/unpack/unpack.h"

namespace confab::kernels::generic {

struct RowRange {
  std::int64_t row0, n_rows;
};

// What the dots of codes by activations mean: w = scale (code - offset) - min, both for each kSub_
// weights. Dots are exact, and stay so when the offset is taken out.
template <class S, int kSub_, bool kMins, bool kSigned>
struct DotForm {
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kSub = kSub_;
  static constexpr int kSubs = 32 / kSub;  // dots of a block of 32
  static constexpr bool kHasMins = kMins;

  static I dot(I sum, typename S::B codes, typename S::B x) noexcept {
    return kSigned ? S::dot_signed(sum, codes, x) : S::dot(sum, codes, x);
  }
  // The sum of a block's activations in its s-th part, and the same times their scale.
  static int sum_of(const Q8Meta& x, int s) noexcept {
    return kSubs == 1 ? x.sum : s == 0 ? x.sum_lo : x.sum - x.sum_lo;
  }
  static float scaled_sum_of(const Q8Meta& x, int s) noexcept {
    return kSubs == 1 ? x.d_sum : x.d * static_cast<float>(sum_of(x, s));
  }
  // What the s-th dot must start from, or have added, for codes that are `offset` too high.
  static int start_of(const Q8Meta& x, int offset, int s) noexcept {
    return -offset * sum_of(x, s);
  }
  // Of the activations of blocks: their scale, and scaled_sum_of() each part.
  struct Tokens {
    F d, d_sum[kSubs];
  };

  // What blocks of 32 contribute.
  static F product(const I dots[kSubs], const F scale[kSubs], const F* min,
                   const Tokens& x) noexcept {
    F p;
    if constexpr (kSubs == 1) {
      p = S::mul(S::to_f32(dots[0]), S::mul(scale[0], x.d));
    } else {
      const F lo = S::mul(S::to_f32(dots[0]), scale[0]);
      p = S::mul(S::fma(S::to_f32(dots[1]), scale[1], lo), x.d);
    }
    if constexpr (kMins) {
      for (int s = 0; s < kSubs; ++s) p = S::fnma(min[s], x.d_sum[s], p);
    }
    return p;
  }
};

// Types whose codes are unpacked in registers (codes.h) and whose scales a Reader takes to lanes
// (lane_scales.h). kSigned: codes may be negative, or above 127.
template <class S, class Codes, class Reader, int kBelow, bool kSigned = false>
struct InRegisters {
  static constexpr bool kAnyBlocks = Reader::kAnyBlocks;
  static constexpr int kOffset = kBelow + (kSigned ? S::kSignedOffset : 0);
  using Form = DotForm<S, Reader::kSub, Reader::kMins, kSigned>;
  using Scales = LaneScales<S, Reader::kSub, Reader::kMins>;

  explicit InRegisters(Dtype) noexcept {}

  static constexpr std::size_t chunk_bytes() noexcept { return Reader::kChunkBytes; }
  static void scales(const std::byte* const rows[], int n_blocks, Scales& out) noexcept {
    Reader::read(rows, n_blocks, out);
  }
  static const std::byte* chunk(const Scales&, const std::byte* row, int) noexcept { return row; }
  // Decoding finds the codes of a row where they lie.
  struct RowCodes {
    RowCodes(const InRegisters&, const std::byte* first, int) noexcept : chunks(first) {}
    const std::byte* chunk(int i) const noexcept {
      return chunks + static_cast<unsigned>(i) * chunk_bytes();
    }
    void scales(int n_blocks, typename S::F scale[], typename S::F min[]) const noexcept {
      BlockScales<S, Reader>::read(chunks, n_blocks, scale, min);
    }
    const std::byte* chunks;
  };
  static typename S::B codes(const std::byte* p, int piece) noexcept {
    return kSigned ? S::raise_signed(Codes::codes(p, piece)) : Codes::codes(p, piece);
  }
  static typename S::B low_codes(const std::byte* p, int piece) noexcept {
    return kSigned ? S::raise_signed(Codes::low_codes(p, piece)) : Codes::low_codes(p, piece);
  }
};

// Types of blocks of 256 whose weights a grid or a division holds, by way of memory. C::put() makes
// their codes, or unpack/ does where the instruction set has nothing better. None has minimums.
template <class S, class C>
class Unpacking {
 public:
  static constexpr bool kAnyBlocks = false;
  static constexpr int kOffset = S::kSignedOffset;
  using Form = DotForm<S, 16, false, true>;
  struct Scales : LaneScales<S, 16, false> {
    Unpacked rows[S::kLanes];
  };

  explicit Unpacking(Dtype dtype) noexcept
      : unpack_(unpack_of(dtype)), chunk_bytes_(row_bytes(dtype, kChunk)) {}

  std::size_t chunk_bytes() const noexcept { return chunk_bytes_; }
  void scales(const std::byte* const rows[], int, Scales& out) const noexcept {
    for (int r = 0; r < S::kLanes; ++r) unpack_(rows[r], out.rows[r]);
    for (int j = 0; j < 2 * kChunkBlocks; j += S::kLanes) {
      typename S::I scale[S::kLanes];
      for (int r = 0; r < S::kLanes; ++r) scale[r] = S::bits(S::load(out.rows[r].scale + j));
      S::transpose(scale);
      for (int i = 0; i < S::kLanes; ++i) out.scale[j + i] = S::from_bits(scale[i]);
    }
  }
  struct RowCodes {
    static constexpr int kCount = S::kLanes / kChunkBlocks;
    RowCodes(const Unpacking& type, const std::byte* chunks, int n_blocks) noexcept {
      for (int i = 0; i < kCount; ++i) {
        if (i * kChunkBlocks < n_blocks) {
          type.unpack_(chunks + static_cast<unsigned>(i) * type.chunk_bytes_, unpacked[i]);
        } else {
          unpacked[i] = {};
        }
      }
    }
    const std::byte* chunk(int i) const noexcept {
      return reinterpret_cast<const std::byte*>(unpacked[i].q);
    }
    void scales(int, typename S::F scale[], typename S::F*) const noexcept {
      alignas(64) float of[2 * S::kLanes];
      for (int i = 0; i < kCount; ++i) {
        std::memcpy(of + 16 * i, unpacked[i].scale, sizeof unpacked[i].scale);
      }
      S::deinterleave(S::load(of), S::load(of + S::kLanes), scale[0], scale[1]);
    }
    Unpacked unpacked[kCount];
  };
  static const std::byte* chunk(const Scales& scales, const std::byte*, int r) noexcept {
    return reinterpret_cast<const std::byte*>(scales.rows[r].q);
  }
  static typename S::B codes(const std::byte* q, int piece) noexcept {
    constexpr int kBytes = static_cast<int>(sizeof(typename S::B));
    return S::raise_signed(S::load_bytes(q + piece * kBytes));
  }

 private:
  using UnpackBlock = void (*)(const std::byte* block, Unpacked& out) noexcept;

  template <class Block>
  static void unpack_block(const std::byte* block, Unpacked& out) noexcept {
    if constexpr (requires { C::put(Of<Block>(), block, out.q); }) {
      C::put(Of<Block>(), block, out.q);
      const OddScales scales = odd_scales(Of<Block>(), block);
      const auto* odd = reinterpret_cast<const std::byte*>(scales.odd);
      for (int i = 0; i < 16; i += S::kLanes) {
        S::store(out.scale + i, S::mul(S::set1(scales.d), S::load_i8(odd + i)));
      }
    } else {
      unpack(load_as<Block>(block), 0, out);
    }
  }

  static UnpackBlock unpack_of(Dtype dtype) noexcept {
    switch (dtype) {
      case Dtype::IQ2_XXS:
        return unpack_block<BlockIQ2_XXS>;
      case Dtype::IQ2_XS:
        return unpack_block<BlockIQ2_XS>;
      case Dtype::IQ2_S:
        return unpack_block<BlockIQ2_S>;
      case Dtype::IQ3_XXS:
        return unpack_block<BlockIQ3_XXS>;
      case Dtype::IQ3_S:
        return unpack_block<BlockIQ3_S>;
      case Dtype::IQ1_S:
        return unpack_block<BlockIQ1_S>;
      case Dtype::IQ1_M:
        return unpack_block<BlockIQ1_M>;
      case Dtype::TQ1_0:
        return unpack_block<BlockTQ1_0>;
      default:
        __builtin_trap();  // InRegisters has the others
    }
  }

  UnpackBlock unpack_;
  std::size_t chunk_bytes_;
};

}  // namespace confab::kernels::generic
