// SPDX-License-Identifier: MIT
// Types of quantised weights for generic/matmul_q8.h, over the vocabulary S of an instruction set.
//
// A type defines how a chunk, 256 weights of each of S::kLanes rows, becomes codes and scales.
// Codes are kOffset higher than the numbers that scales multiply. Form defines the meaning of their
// dots. chunk_bytes() is the size of a chunk in a row. scales() fills Scales, whose lanes are rows.
// each_block() unpacks the codes as described in word_codes.h. kAnyBlocks: rows may end inside a
// chunk. kPacked: codes are not stored as bytes. kKeepsHighBits: unpacking keeps registers from
// block to block of a chunk.
//
// RowCodes is for decoding: one row's chunks that contain S::kLanes blocks. dot(i, slice, q)
// returns the products of slice `slice` of chunk i with the activations at q, summed by fours, for
// codes that may be RowCodes::kOffset higher. dot_low() does the same for the slice's first block
// only. If kInHalves, dots_by_halves() returns the sums of all S::kLanes blocks, from activations
// that are split in two: the first 16 of each block, and the rest.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "kernels/generic/block_scales.h"
#include "kernels/generic/lane_scales.h"
#include "kernels/generic/word_codes.h"
#include "kernels/unpack/unpack.h"

namespace confab::kernels::generic {

struct RowSlice {
  std::int64_t row0, n_rows;
};

// Whether codes can be multiplied by one of four words of activations that are loaded at once.
template <class S>
concept MeetsFours = requires {
  typename S::Four;
};

// Whether multiplying a number in memory and adding it to sums takes no longer than loading it.
template <class S>
concept AddsMultiples = requires(typename S::I sum, const std::byte* p) {
  S::add_multiple_at(sum, 1, p);
};

// Whether codes can be multiplied by a word of activations in memory.
template <class S>
concept MeetsMemory = requires(typename S::I sum, typename S::B codes, const std::byte* p) {
  S::dot_at(sum, codes, p);
};

// The meaning of dots of codes and activations: w = scale (code - offset) - min, with a scale and a
// min for each kSub_ weights. Dots are exact, and stay exact when the offset is subtracted.
//
// If products of bytes are summed in 16 bits (S::kHasRuns), codes of at most kMost allow runs of
// several words before the sums go to 32 bits.
template <class S, int kSub_, bool kMins, bool kSigned, int kMost>
struct DotForm {
  using F = typename S::F;
  using I = typename S::I;
  static constexpr int kSub = kSub_;
  static constexpr int kSubs = 32 / kSub;  // dots per block of 32
  static constexpr bool kHasMins = kMins, kHasSigns = kSigned;

  static I dot(I sum, typename S::B codes, typename S::B x) noexcept {
    return kSigned ? S::dot_signed(sum, codes, x) : S::dot(sum, codes, x);
  }
  // The sums of a block's parts. Words 0 to 7 of its codes are added in this order.
  struct Sums {
    I dots[kSubs];

    // Starts a block. Its codes are `offset` too high, and the Q8Meta of its activations is at
    // `meta`.
    void start(const std::byte* meta, int offset) noexcept {
      for (int s = 0; s < kSubs; ++s) {
        if constexpr (kMins) {
          dots[s] = S::zero_i();  // codes with a minimum have no offset
        } else {
          const int first = start_of(load_as<Q8Meta>(meta), offset, s);
          dots[s] = S::set1_i(static_cast<std::uint32_t>(first));
        }
      }
    }
    // The same with vector instructions where possible, for loops without free scalar registers.
    void start_in_vectors(const std::byte* meta, int offset) noexcept {
      if constexpr (kMins || !AddsMultiples<S>) {
        start(meta, offset);
      } else {
        const std::byte* const sum_lo = meta + offsetof(Q8Meta, sum_lo);
        dots[0] = S::zero_i();
        if constexpr (kSubs == 2) {
          dots[1] = S::add_multiple_at(dots[0], offset, sum_lo);
          dots[0] = S::add_multiple_at(dots[0], -offset, sum_lo);
        }
        I& last = dots[kSubs - 1];
        last = S::add_multiple_at(last, -offset, meta + offsetof(Q8Meta, sum));
      }
    }
    [[gnu::always_inline]] void add(int k, typename S::B codes, typename S::B x) noexcept {
      I& sum = dots[k / (8 / kSubs)];
      if constexpr (!S::kHasRuns || kSigned) {
        sum = dot(sum, codes, x);
      } else {
        constexpr unsigned kFit = 32767 / (2 * 127 * kMost);
        constexpr int kRun = std::min(8 / kSubs, static_cast<int>(std::bit_floor(kFit)));
        run = k % kRun == 0 ? S::products(codes, x) : S::add_products(run, codes, x);
        if (k % kRun == kRun - 1) sum = S::add_run(sum, run);
      }
    }
    // The same with the word of activations at p.
    [[gnu::always_inline]] void add_at(int k, typename S::B codes, const std::byte* p) noexcept {
      if constexpr (MeetsMemory<S>) {
        I& sum = dots[k / (8 / kSubs)];
        sum = S::dot_at(sum, codes, p);
      } else {
        add(k, codes, S::broadcast4(p));
      }
    }
    // The same with word k % 4 of four.
    template <int k, class Four>
    [[gnu::always_inline]] void add_of_four(typename S::B codes, Four x) noexcept {
      I& sum = dots[k / (8 / kSubs)];
      sum = S::template dot_word<k % 4>(sum, codes, x);
    }
    // The same for signed codes whose magnitudes are known.
    [[gnu::always_inline]] void add_signed(int k, typename S::B magnitudes, typename S::B codes,
                                           typename S::B x) noexcept {
      I& sum = dots[k / (8 / kSubs)];
      sum = S::dot_signed(sum, magnitudes, codes, x);
    }

   private:
    I run;
  };
  // The sum of the activations in part s of a block; scaled_sum_of() multiplies it by their scale.
  static int sum_of(const Q8Meta& x, int s) noexcept {
    return kSubs == 1 ? x.sum : s == 0 ? x.sum_lo : x.sum - x.sum_lo;
  }
  static float scaled_sum_of(const Q8Meta& x, int s) noexcept {
    return kSubs == 1 ? x.d_sum : x.d * static_cast<float>(sum_of(x, s));
  }
  // The amount to add to the s-th dot if codes are `offset` too high.
  static int start_of(const Q8Meta& x, int offset, int s) noexcept {
    return -offset * sum_of(x, s);
  }
  // The scale of the activations of each block, and scaled_sum_of() for each part.
  struct Tokens {
    F d, d_sum[kSubs];
  };

  // The same for one block, whose Q8Meta is at `meta`, in all lanes.
  static Tokens tokens(const std::byte* meta) noexcept {
    Tokens x{S::set1(load_as<float>(meta + offsetof(Q8Meta, d))), {}};
    if constexpr (kMins && kSubs == 1) {
      x.d_sum[0] = S::set1(load_as<float>(meta + offsetof(Q8Meta, d_sum)));
    } else if constexpr (kMins) {
      const auto block = load_as<Q8Meta>(meta);
      for (int s = 0; s < kSubs; ++s) x.d_sum[s] = S::set1(scaled_sum_of(block, s));
    }
    return x;
  }

  // The contribution of blocks of 32.
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

// Types whose codes are unpacked in registers: by Words (word_codes.h) for panels, by Codes
// (codes.h) for decoding. A Reader loads their scales into lanes (lane_scales.h). kMost is the
// largest code. kSigned: codes may be negative, or above 127.
template <class S, class Words, class Codes, class Reader, int kMost, int kBelow,
          bool kSigned = false>
struct InRegisters {
  static constexpr bool kAnyBlocks = Reader::kAnyBlocks;
  static constexpr bool kPacked = !std::is_same_v<Words, WordCodes<S, BlockQ8_0>>;
  static constexpr bool kKeepsHighBits = std::is_same_v<Words, WordCodes<S, BlockQ5_K>>;
  static constexpr int kOffset = kBelow + (kSigned ? S::kSignedOffset : 0);
  using Form = DotForm<S, Reader::kSub, Reader::kMins, kSigned, kMost>;
  using Scales = LaneScales<S, Reader::kSub, Reader::kMins>;

  static constexpr std::size_t chunk_bytes() noexcept { return Reader::kChunkBytes; }
  static void scales(const std::byte* const rows[], int n_blocks, Scales& out) noexcept {
    Reader::read(rows, n_blocks, out);
  }
  template <class Use>
  [[gnu::always_inline]] static void each_block(const std::byte* const rows[], const Scales&,
                                                int n_blocks, Use use) noexcept {
    Words::each(rows, n_blocks,
                [&](int b, auto word) { use(b, [&](int k) { return raised(word(k)); }); });
  }
  // Decoding unpacks the codes of a row directly.
  struct RowCodes {
    static constexpr int kOffset = InRegisters::kOffset;
    static constexpr bool kInHalves = requires { typename Codes::Halves; };
    RowCodes(const std::byte* first, int) noexcept : chunks(first) {}
    typename S::I dot(int i, int slice, const std::byte* q) const noexcept {
      return Form::dot(S::zero_i(), codes(chunk(i), slice), S::load_bytes(q));
    }
    typename S::I dot_low(int i, int slice, const std::byte* q) const noexcept {
      return Form::dot(S::zero_i(), low_codes(chunk(i), slice), S::load_low_block(q));
    }
    void dots_by_halves(const std::byte* low, const std::byte* high,
                        typename S::I out[1]) const noexcept {
      const typename Codes::Halves halves(chunks);
      typename S::I v[4];
      for (int i = 0; i < 4; ++i) {
        typename S::B q[2];
        halves.four(i, q);
        v[i] = Form::dot(S::zero_i(), raised(q[0]), S::load_bytes(low + i * sizeof q[0]));
        v[i] = Form::dot(v[i], raised(q[1]), S::load_bytes(high + i * sizeof q[1]));
      }
      S::dots_of_quarters(v, out);
    }
    void scales(int n_blocks, typename S::F scale[], typename S::F min[]) const noexcept {
      BlockScales<S, Reader>::read(chunks, n_blocks, scale, min);
    }

   private:
    const std::byte* chunk(int i) const noexcept {
      return chunks + static_cast<unsigned>(i) * chunk_bytes();
    }
    const std::byte* chunks;
  };

 private:
  static typename S::B codes(const std::byte* p, int slice) noexcept {
    return raised(Codes::codes(p, slice));
  }
  static typename S::B low_codes(const std::byte* p, int slice) noexcept {
    return raised(Codes::low_codes(p, slice));
  }
  static typename S::B raised(typename S::B codes) noexcept {
    return kSigned ? S::raise_signed(codes) : codes;
  }
};

// Whether C::rows(type of block, blocks) can hold the weights of S::kLanes blocks of 32 in
// registers.
template <class C, class Block>
concept HasRows = requires(const std::byte* const* blocks) {
  C::rows(Of<Block>(), blocks);
};

// Writes the 256 weights of a block to memory as signed codes.
template <class C, class Block>
static void put_codes(const std::byte* block, Unpacked& out) noexcept {
  if constexpr (HasRows<C, Block>) {
    const std::byte* const blocks[2] = {block, block};
    C::rows(Of<Block>(), blocks).put(out.q);
  } else if constexpr (requires { C::put(Of<Block>(), block, out.q); }) {
    C::put(Of<Block>(), block, out.q);
  } else {
    unpack(load_as<Block>(block), 0, out);
  }
}

// The codes of a row for decoding, by way of memory or in registers.
template <class S, class C, class Block>
class CodesOfRow {
 public:
  static constexpr int kOffset = S::kSignedOffset;
  CodesOfRow(const Chunks<S, Block>& blocks, int n_blocks) noexcept {
    for (int i = 0; i < blocks.kCount; ++i) {
      if (i * kChunkBlocks < n_blocks) put_codes<C, Block>(blocks.at[i], unpacked_[i]);
    }
  }
  typename S::I dot(int i, int slice, const std::byte* q) const noexcept {
    constexpr int kBytes = static_cast<int>(sizeof(typename S::B));
    const auto* codes = reinterpret_cast<const std::byte*>(unpacked_[i].q) + slice * kBytes;
    return S::dot_signed(S::zero_i(), S::raise_signed(S::load_bytes(codes)), S::load_bytes(q));
  }

 private:
  Unpacked unpacked_[Chunks<S, Block>::kCount];
};

template <class S, class C, class Block>
requires HasRows<C, Block>
class CodesOfRow<S, C, Block> {
  using Rows = decltype(C::rows(Of<Block>(), static_cast<const std::byte* const*>(nullptr)));

 public:
  static constexpr int kOffset = Rows::kOffset;
  CodesOfRow(const Chunks<S, Block>& blocks, int) noexcept
      : rows_(C::rows(Of<Block>(), blocks.at)) {}
  typename S::I dot(int i, int slice, const std::byte* q) const noexcept {
    constexpr int kSlices = kChunk / static_cast<int>(sizeof(typename S::B));
    return rows_.dot(i * kSlices + slice, q);
  }

 private:
  Rows rows_;
};

// Types with blocks of 256 whose weights come from a grid or a division. Panels get their codes by
// way of memory. None of these types has minimums.
template <class S, class C, class Block>
struct Unpacking {
  using Reader = OddScales<S, Block>;
  static constexpr bool kAnyBlocks = false, kPacked = true, kKeepsHighBits = false;
  static constexpr int kOffset = S::kSignedOffset;
  using Form = DotForm<S, Reader::kSub, false, true, 255>;
  struct Scales : LaneScales<S, Reader::kSub, false> {
    Unpacked rows[S::kLanes];
  };

  static constexpr std::size_t chunk_bytes() noexcept { return sizeof(Block); }
  // Not inlined: the call costs nothing compared with the work for a chunk, and inlining would
  // repeat a lot of code.
  [[gnu::noinline]] static void scales(const std::byte* const rows[], int, Scales& out) noexcept {
    typename S::I lanes[Form::kSubs][S::kLanes];  // lanes are blocks, later rows
    for (int r = 0; r < S::kLanes; ++r) {
      put_codes<C, Block>(rows[r], out.rows[r]);
      typename S::F scale[Form::kSubs];
      Reader::read(rows[r], kChunkBlocks, scale);
      for (int s = 0; s < Form::kSubs; ++s) lanes[s][r] = S::bits(scale[s]);
    }
    for (int s = 0; s < Form::kSubs; ++s) {
      S::transpose(lanes[s]);
      for (int b = 0; b < kChunkBlocks; ++b) {
        out.scale[b * Form::kSubs + s] = S::from_bits(lanes[s][b]);
      }
    }
  }
  template <class Use>
  [[gnu::always_inline]] static void each_block(const std::byte* const*, const Scales& scales,
                                                int n_blocks, Use use) noexcept {
    const std::byte* rows[S::kLanes];
    for (int r = 0; r < S::kLanes; ++r)
      rows[r] = reinterpret_cast<const std::byte*>(scales.rows[r].q);
    for (int b = 0; b < n_blocks; ++b) {
      typename S::I w[8];
      gather_32<S>(rows, 32 * static_cast<unsigned>(b), w);
      use(b, [&](int k) { return S::raise_signed(w[k]); });
    }
  }
  struct RowCodes : CodesOfRow<S, C, Block> {
    static constexpr bool kInHalves = false;
    RowCodes(const std::byte* first, int n_blocks) noexcept
        : CodesOfRow<S, C, Block>(Chunks<S, Block>(first, n_blocks), n_blocks), chunks(first) {}
    void scales(int n_blocks, typename S::F scale[], typename S::F*) const noexcept {
      Reader::read(chunks, n_blocks, scale);
    }

   private:
    const std::byte* chunks;
  };
};

}  // namespace confab::kernels::generic
