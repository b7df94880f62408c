// SPDX-License-Identifier: MIT
#include "kernels/generic/table.h"
#include "kernels/avx2/grid_codes.h"
#include "kernels/avx2/simd.h"
#include "kernels/tables.h"

namespace confab::kernels {

constinit const KernelTable kAvx2Table = generic::Table<Simd, AllCodes>::make(Isa::avx2);

}  // namespace confab::kernels
