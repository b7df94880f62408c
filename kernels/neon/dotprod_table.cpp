// SPDX-License-Identifier: MIT
#include "kernels/generic/table.h"
#include "kernels/neon/codes.h"
#include "kernels/neon/simd.h"
#include "kernels/tables.h"

namespace confab::kernels {

constinit const KernelTable kNeonDotprodTable =
    generic::Table<Simd, Codes>::make(Isa::neon_dotprod);

}  // namespace confab::kernels
