// SPDX-License-Identifier: MIT
// The instruction sets that the kernels are compiled for, and the choice among them at run time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernels/kernel_table.h"

namespace confab::kernels {

// The table for `isa`, nullptr when this binary or this processor does not have it.
const KernelTable* kernel_table(Isa isa) noexcept;
// All tables that this processor can run, slowest (scalar) first.
std::vector<const KernelTable*> usable_kernel_tables();
// "scalar", "avx2", "avx_vnni", "avx512", "avx512_bf16", "neon", "neon_dotprod", "neon_i8mm";
// nullopt for any other name.
std::optional<Isa> parse_isa(std::string_view name) noexcept;
std::string_view name(Isa isa) noexcept;

// The best usable table, or the one that `forced` names (the value of CONFAB_ISA; empty: none).
// Throws std::invalid_argument with a one-line message when that is unknown or not usable here.
const KernelTable& choose_kernel_table(std::string_view forced);

}  // namespace confab::kernels
