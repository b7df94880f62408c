// SPDX-License-Identifier: MIT
// The number formats of tensors, with the numbers that GGUF files give them.
//
// Source: the ggml_type table of the GGUF specification. The last ones are in no GGUF file, but in
// folders of Hugging Face's; their scales lie in tensors of their own (side_scales.h), which may be
// E8M0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace confab::kernels {

enum class Dtype : std::uint32_t {
  F32 = 0,
  F16 = 1,
  Q4_0 = 2,
  Q4_1 = 3,
  Q5_0 = 6,
  Q5_1 = 7,
  Q8_0 = 8,
  Q2_K = 10,
  Q3_K = 11,
  Q4_K = 12,
  Q5_K = 13,
  Q6_K = 14,
  IQ2_XXS = 16,
  IQ2_XS = 17,
  IQ3_XXS = 18,
  IQ1_S = 19,
  IQ4_NL = 20,
  IQ3_S = 21,
  IQ2_S = 22,
  IQ4_XS = 23,
  IQ1_M = 29,
  BF16 = 30,
  TQ1_0 = 34,
  TQ2_0 = 35,
  MXFP4 = 39,
  NVFP4 = 40,
  Q1_0 = 41,
  Q2_0 = 42,
  MLX4 = 0x10000,  // codes of 4 bits, the first in the lowest bits of a byte
  MLX8,            // of 8 bits
  F8_E4M3,
  E2M1,  // of 4 bits, too: MXFP4's floats without its scales
  E8M0,  // MXFP4's scales
};

struct DtypeInfo {
  Dtype dtype;
  std::string_view name;    // as in the files: "Q4_K"
  std::int64_t block;       // weights in a block; 1 for the plain types
  std::size_t block_bytes;  // bytes of a block
};

// The entry for a type number read from a GGUF file; nullptr when it cannot be computed with.
const DtypeInfo* find_dtype(std::uint32_t ggml_type) noexcept;
// The name that a file format's type number has, also for types we cannot read; "type 99" is
// the caller's business: unknown numbers give an empty view.
std::string_view ggml_type_name(std::uint32_t ggml_type) noexcept;
// The entry for the name of such a type, "q8_0" (any case); nullptr when there is none.
const DtypeInfo* find_dtype(std::string_view name) noexcept;

const DtypeInfo& info(Dtype dtype) noexcept;
// Whether the scales of such weights lie in a tensor of their own.
bool has_side_scales(Dtype dtype) noexcept;
// Bytes of a row of n weights; n must be a multiple of the type's block.
std::size_t row_bytes(Dtype dtype, std::int64_t n) noexcept;

// The types in which a cache can keep keys and values: the one list of them.
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
