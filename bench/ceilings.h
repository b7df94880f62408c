// SPDX-License-Identifier: MIT
// What one core can do at best with the instructions of a kernel table, measured now.
#pragma once

#include "kernels/kernel_table.h"

namespace confab::bench {

// 0: this processor, or this table, has nothing of the sort.
struct Ceilings {
  double memory;  // GB/s read from beyond the last-level cache
  double cache;   // GB/s read from the second-level cache
  double near;    // GB/s read from the first-level cache
  double i8;      // GMAC/s of 8-bit integers, summed in 32 bits
  double f32;     // GMAC/s of f32
  double bf16;    // GMAC/s of bf16, summed in f32
};

// Takes about half a second for each.
Ceilings measure_ceilings(kernels::Isa isa);

}  // namespace confab::bench
