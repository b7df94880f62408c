// SPDX-License-Identifier: MIT
// The types in which a cache can keep keys and values: the one list of them.
#pragma once

#include "kernels/dtype.h"

namespace confab::kernels {

struct CacheType {
  Dtype dtype;
  // Blocks of 32 codes with one scale and no minimum: attention multiplies the codes as they are.
  // Forgotten, it would turn them into floats first: right, but slow (dtype_test finds it).
  bool is_codes;
};

// What KernelTable::encode_row() takes, most precise first.
inline constexpr CacheType kCacheTypes[] = {
    {Dtype::F32, false},  {Dtype::F16, false},  {Dtype::BF16, false},
    {Dtype::Q8_0, true},  {Dtype::Q5_1, false}, {Dtype::Q5_0, true},
    {Dtype::Q4_1, false}, {Dtype::Q4_0, true},  {Dtype::IQ4_NL, true},
};

}  // namespace confab::kernels
