// SPDX-License-Identifier: MIT
#include "kernels/quantize.h"

#include "kernels/quantize_k.h"

namespace confab::kernels {

void quantize_row(const KernelTable& table, Dtype dtype, const float* x, std::int64_t n,
                  std::byte* out) noexcept {
  switch (dtype) {
    case Dtype::Q4_K:
      return quantize_row_q4_k(x, n, out);
    case Dtype::Q5_K:
      return quantize_row_q5_k(x, n, out);
    case Dtype::Q6_K:
      return quantize_row_q6_k(x, n, out);
    default:
      return table.encode_row(dtype, x, n, out);
  }
}

}  // namespace confab::kernels
