// SPDX-License-Identifier: MIT
// The instruction sets that the kernels are compiled for, and the choice among them at run time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernels/kernel_table.h"

namespace confab::kernels {

// The table for `isa`, or nullptr if this binary does not contain it or this processor cannot run
// it.
const KernelTable* kernel_table(Isa isa) noexcept;
// All tables that this processor can run, slowest (scalar) first.
std::vector<const KernelTable*> usable_kernel_tables();
// Parses "scalar", "avx2", "avx_vnni", "avx512", "avx512_bf16", "neon", "neon_dotprod" or
// "neon_i8mm". Returns nullopt for any other name.
std::optional<Isa> parse_isa(std::string_view name) noexcept;
std::string_view name(Isa isa) noexcept;

// Returns the best usable table, or the one named by `forced` (the value of CONFAB_ISA; empty: not
// forced). Throws std::invalid_argument with a one-line message if that name is unknown or not
// usable here.
const KernelTable& choose_kernel_table(std::string_view forced);

}  // namespace confab::kernels
