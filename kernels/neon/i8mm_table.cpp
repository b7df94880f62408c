// SPDX-License-Identifier: MIT
#include "kernels/generic/table.h"
#include "kernels/neon/codes.h"
#include "kernels/neon/simd_i8mm.h"
#include "kernels/tables.h"

namespace confab::kernels {

constinit const KernelTable kNeonI8mmTable = generic::Table<SimdI8mm, Codes>::make(Isa::neon_i8mm);

}  // namespace confab::kernels
