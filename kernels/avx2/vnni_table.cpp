// SPDX-License-Identifier: MIT
#include "kernels/avx2/codes.h"
#include "kernels/avx2/simd.h"
#include "kernels/generic/table.h"
#include "kernels/tables.h"

namespace confab::kernels {

constinit const KernelTable kAvxVnniTable = generic::Table<Simd, Codes>::make(Isa::avx_vnni);

}  // namespace confab::kernels
