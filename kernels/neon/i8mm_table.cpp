// SPDX-License-Identifier: MIT
#include "kernels/generic/table.h"
#include "kernels/neon/codes.h"
#include "kernels/neon/simd.h"
#include "kernels/tables.h"

namespace confab::kernels {

constinit const KernelTable kNeonI8mmTable = generic::Table<Simd, Codes>::make(Isa::neon_i8mm);

}  // namespace confab::kernels
