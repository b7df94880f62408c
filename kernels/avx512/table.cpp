// SPDX-License-Identifier: MIT
#include "kernels/generic/table.h"
#include "kernels/avx512/codes.h"
#include "kernels/avx512/simd.h"
#include "kernels/avx512/vbmi_codes.h"
#include "kernels/tables.h"

namespace confab::kernels {
namespace {

void matmul(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
            float* y, std::int64_t y_stride) noexcept {
  const auto run = x.format == ActFormat::bf16
                       ? generic::MatmulFloat<Bf16Simd, generic::Rows<Simd>>::run
                       : generic::Table<Simd, VbmiCodes>::matmul;
  run(w, row0, n_rows, x, y, y_stride);
}

// The same but for attention, and for BF16 weights.
constexpr KernelTable with_bf16() noexcept {
  using Attention = generic::Attention<Bf16Simd, WideCodes>;
  KernelTable table = generic::Table<Simd, WideCodes>::make(Isa::avx512_bf16);
  table.matmul = matmul;
  table.attention = Attention::run;
  table.attention_partial = Attention::run_partial;
  table.attention_join = Attention::join;
  return table;
}

}  // namespace

constinit const KernelTable kAvx512Table = generic::Table<Simd, WideCodes>::make(Isa::avx512);
constinit const KernelTable kAvx512Bf16Table = with_bf16();

}  // namespace confab::kernels
