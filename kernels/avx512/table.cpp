// SPDX-License-Identifier: MIT
#include "kernels/generic/table.h"
#include "kernels/avx512/codes.h"
#include "kernels/avx512/simd.h"
#include "kernels/tables.h"

namespace confab::kernels {
namespace {

// The same but for attention.
constexpr KernelTable with_bf16() noexcept {
  using Attention = generic::Attention<Bf16Simd, WideCodes>;
  KernelTable table = generic::Table<Simd, WideCodes>::make(Isa::avx512_bf16);
  table.attention = Attention::run;
  table.attention_part = Attention::run_part;
  table.attention_join = Attention::join;
  return table;
}

}  // namespace

constinit const KernelTable kAvx512Table = generic::Table<Simd, WideCodes>::make(Isa::avx512);
constinit const KernelTable kAvx512Bf16Table = with_bf16();

}  // namespace confab::kernels
