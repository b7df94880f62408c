// SPDX-License-Identifier: MIT
// The tables that this binary may contain. isa.h says which of them the processor can run.
#pragma once

#include "kernels/kernel_table.h"

namespace confab::kernels {

extern const KernelTable kScalarTable;       // on every system; defines what the others compute
extern const KernelTable kAvx2Table;         // x86-64: AVX2, FMA, F16C
extern const KernelTable kAvxVnniTable;      // x86-64: the same and AVX-VNNI
extern const KernelTable kAvx512Table;       // x86-64: AVX-512 F, BW, VL, DQ, VNNI
extern const KernelTable kAvx512Bf16Table;   // x86-64: the same and AVX-512 BF16
extern const KernelTable kNeonTable;         // 64-bit Arm
extern const KernelTable kNeonDotprodTable;  // 64-bit Arm: dotprod
extern const KernelTable kNeonI8mmTable;     // 64-bit Arm: dotprod, i8mm, bf16

}  // namespace confab::kernels
