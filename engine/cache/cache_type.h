// SPDX-License-Identifier: MIT
// The types that keys and values can be kept in, by the names that people give them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/dtype.h"

namespace confab::engine {

// Most precise first; what KernelTable::encode_row() takes.
std::span<const kernels::Dtype> cache_types() noexcept;
// nullptr for a name, in any case, that is none of them.
const kernels::DtypeInfo* find_cache_type(std::string_view name) noexcept;
// "f32, f16, bf16, ...".
std::string cache_type_names();

// The Hadamard matrix by which heads of this size are multiplied before they are kept as `dtype`,
// as its number of rows; 0: none. It spreads what stands out, which a block's scale would have to
// follow at the cost of all its neighbours. Keys take the largest that divides the head, values 64;
// plain types and heads that 64 does not divide take none. Source: llama.cpp (llama-kv-cache.cpp);
// the idea: QuaRot, arXiv:2404.00456.
int key_rotation(kernels::Dtype dtype, int head_dim) noexcept;
int value_rotation(kernels::Dtype dtype, int head_dim) noexcept;

}  // namespace confab::engine
