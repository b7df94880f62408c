// SPDX-License-Identifier: MIT
#include "kernels/generic/table.h"
#include "kernels/avx512/codes.h"
#include "kernels/avx512/simd.h"
#include "kernels/tables.h"

namespace confab::kernels {

constinit const KernelTable kAvx512Table = generic::Table<Simd, WideCodes>::make(Isa::avx512);

}  // namespace confab::kernels
