// SPDX-License-Identifier: MIT
// NEON with products of byte matrices (SMMLA, from Armv8.6's i8mm): two rows by two tokens, eight
// columns at once. generic/panel_q8.h describes the functions.
#include "kernels/generic/table.h"
#include "kernels/neon/codes.h"
#include "kernels/neon/simd.h"
#include "kernels/tables.h"

namespace confab::kernels {
namespace {

struct SimdI8mm : Simd {
  // For the panel kernel, whose integers and sums fill 24 registers.
  static constexpr int kTileVectors = 1;
  static constexpr int kTileTokens = 6;

  struct Pairs {  // 8 rows by two tokens: two rows per register, row-major
    int32x4_t rows[4];
  };
  static Pairs join(I first, I second) noexcept {
    return {{vzip1q_s32(first.lo, second.lo), vzip2q_s32(first.lo, second.lo),
             vzip1q_s32(first.hi, second.hi), vzip2q_s32(first.hi, second.hi)}};
  }
  static I first_of(const Pairs& x) noexcept {
    return {vuzp1q_s32(x.rows[0], x.rows[1]), vuzp1q_s32(x.rows[2], x.rows[3])};
  }
  static I second_of(const Pairs& x) noexcept {
    return {vuzp2q_s32(x.rows[0], x.rows[1]), vuzp2q_s32(x.rows[2], x.rows[3])};
  }

  static int8x16_t load_pair(const std::byte* first, const std::byte* second) noexcept {
    return vcombine_s8(vld1_s8(reinterpret_cast<const std::int8_t*>(first)),
                       vld1_s8(reinterpret_cast<const std::int8_t*>(second)));
  }
  static Pairs multiply_pairs(const Pairs& sums, B lower, B upper, int8x16_t x) noexcept {
    const auto add = [&](int32x4_t sum, int32x4_t rows) {
      return vmmlaq_s32(sum, vreinterpretq_s8_s32(rows), x);
    };
    return {{add(sums.rows[0], lower.lo), add(sums.rows[1], lower.hi), add(sums.rows[2], upper.lo),
             add(sums.rows[3], upper.hi)}};
  }
  // Rearranges columns 4k to 4k + 3 and the next four of all rows into all eight columns of the
  // lower and of the upper half of the rows.
  static void pair_words(I& a, I& b) noexcept {
    const I first{vzip1q_s32(a.lo, b.lo), vzip2q_s32(a.lo, b.lo)};
    const I second{vzip1q_s32(a.hi, b.hi), vzip2q_s32(a.hi, b.hi)};
    a = first;
    b = second;
  }
};

}  // namespace

constinit const KernelTable kNeonI8mmTable = generic::Table<SimdI8mm, Codes>::make(Isa::neon_i8mm);

}  // namespace confab::kernels
