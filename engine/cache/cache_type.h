// SPDX-License-Identifier: MIT
// The types in which keys and values can be kept, and the names that people use for them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/dtype.h"

namespace confab::engine {

// Most precise first. These are the types that KernelTable::encode_row() accepts.
std::span<const kernels::Dtype> cache_types() noexcept;
// Ignores case. Returns nullptr if the name is not one of these types.
const kernels::DtypeInfo* find_cache_type(std::string_view name) noexcept;
// "f32, f16, bf16, ...".
std::string cache_type_names();

// Number of rows of the Hadamard matrix that heads of this size are multiplied by before they are
// stored as `dtype`; 0 if they are not. It spreads out large values, which a block's scale would
// otherwise have to follow at the expense of all their neighbours. Keys use the largest matrix that
// divides the head, values 64. Unquantised types, and heads that 64 does not divide, use none.
// Source: llama.cpp (llama-kv-cache.cpp); the idea: QuaRot, arXiv:2404.00456.
int key_rotation(kernels::Dtype dtype, int head_dim) noexcept;
int value_rotation(kernels::Dtype dtype, int head_dim) noexcept;

}  // namespace confab::engine
