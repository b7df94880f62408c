// SPDX-License-Identifier: MIT
#include "kernels/avx2/grid_codes.h"
#include "kernels/avx2/simd.h"
#include "kernels/generic/table.h"
#include "kernels/tables.h"

namespace confab::kernels {

constinit const KernelTable kAvxVnniTable = generic::Table<Simd, AllCodes>::make(Isa::avx_vnni);

}  // namespace confab::kernels
