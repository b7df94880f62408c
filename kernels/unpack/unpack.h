// SPDX-License-Identifier: MIT
// Every quantised type's way to Unpacked: a new type is a block, its unpack() and a row here.
#pragma once

#include "kernels/dtype.h"
#include "kernels/unpack/iq.h"
#include "kernels/unpack/k.h"
#include "kernels/unpack/simple.h"

namespace confab::kernels {

// Unpacks n <= 256 weights, whole blocks; what `out` has past them stays as it is.
using UnpackChunk = void (*)(const std::byte* blocks, std::int64_t n, Unpacked& out) noexcept;

template <typename Block, int kWidth>
static void unpack_chunk(const std::byte* blocks, std::int64_t n, Unpacked& out) noexcept {
  for (int at = 0; at < n; at += kWidth, blocks += sizeof(Block)) {
    unpack(load_as<Block>(blocks), at, out);
  }
}

struct UnpackRow {
  Dtype dtype;
  UnpackChunk unpack;
};

constexpr UnpackRow kUnpackRows[] = {
    {Dtype::Q4_0, unpack_chunk<BlockQ4_0, 32>},
    {Dtype::Q4_1, unpack_chunk<BlockQ4_1, 32>},
    {Dtype::Q5_0, unpack_chunk<BlockQ5_0, 32>},
    {Dtype::Q5_1, unpack_chunk<BlockQ5_1, 32>},
    {Dtype::Q8_0, unpack_chunk<BlockQ8_0, 32>},
    {Dtype::Q2_K, unpack_chunk<BlockQ2_K, 256>},
    {Dtype::Q3_K, unpack_chunk<BlockQ3_K, 256>},
    {Dtype::Q4_K, unpack_chunk<BlockQ4_K, 256>},
    {Dtype::Q5_K, unpack_chunk<BlockQ5_K, 256>},
    {Dtype::Q6_K, unpack_chunk<BlockQ6_K, 256>},
    {Dtype::IQ2_XXS, unpack_chunk<BlockIQ2_XXS, 256>},
    {Dtype::IQ2_XS, unpack_chunk<BlockIQ2_XS, 256>},
    {Dtype::IQ3_XXS, unpack_chunk<BlockIQ3_XXS, 256>},
    {Dtype::IQ1_S, unpack_chunk<BlockIQ1_S, 256>},
    {Dtype::IQ4_NL, unpack_chunk<BlockIQ4_NL, 32>},
    {Dtype::IQ3_S, unpack_chunk<BlockIQ3_S, 256>},
    {Dtype::IQ2_S, unpack_chunk<BlockIQ2_S, 256>},
    {Dtype::IQ4_XS, unpack_chunk<BlockIQ4_XS, 256>},
    {Dtype::IQ1_M, unpack_chunk<BlockIQ1_M, 256>},
    {Dtype::TQ1_0, unpack_chunk<BlockTQ1_0, 256>},
    {Dtype::TQ2_0, unpack_chunk<BlockTQ2_0, 256>},
    {Dtype::MXFP4, unpack_chunk<BlockMXFP4, 32>},
    {Dtype::NVFP4, unpack_chunk<BlockNVFP4, 64>},
    {Dtype::Q1_0, unpack_chunk<BlockQ1_0, 128>},
    {Dtype::Q2_0, unpack_chunk<BlockQ2_0, 64>},
};

[[maybe_unused]] static UnpackChunk unpack_of(Dtype quantised) noexcept {
  for (const UnpackRow& row : kUnpackRows) {
    if (row.dtype == quantised) return row.unpack;
  }
  __builtin_trap();  // a plain type
}

}  // namespace confab::kernels
