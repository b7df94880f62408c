// SPDX-License-Identifier: MIT
// The number formats of tensors, numbered as in GGUF files.
//
// Source: the ggml_type table of the GGUF specification. The last formats do not occur in GGUF
// files, only in Hugging Face model folders. Their scales are stored in separate tensors
// (side_scales.h), possibly as E8M0.
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
  MLX4 = 0x10000,  // 4-bit codes, the first in the lowest bits of a byte
  MLX8,            // 8-bit codes
  F8_E4M3,
  E2M1,  // 4-bit codes, MXFP4's floats without its scales
  E8M0,  // MXFP4's scales
};

struct DtypeInfo {
  Dtype dtype;
  std::string_view name;    // as in files: "Q4_K"
  std::int64_t block;       // weights per block; 1 for plain types
  std::size_t block_bytes;  // bytes per block
};

// Finds a type by its number in a GGUF file. Returns nullptr for types that we cannot compute with.
const DtypeInfo* find_dtype(std::uint32_t ggml_type) noexcept;
// The name of a type number in a file, even if we cannot read the type. Returns an empty view for
// unknown numbers; callers then print "type 99".
std::string_view ggml_type_name(std::uint32_t ggml_type) noexcept;
// Finds a type by its name, ignoring case ("q8_0"). Returns nullptr if there is none.
const DtypeInfo* find_dtype(std::string_view name) noexcept;

const DtypeInfo& info(Dtype dtype) noexcept;
// Whether the scales of these weights are in a separate tensor.
bool has_side_scales(Dtype dtype) noexcept;
// Bytes of a row of n weights; n must be a multiple of the type's block.
std::size_t row_bytes(Dtype dtype, std::int64_t n) noexcept;

// One row of the list of types in which a cache can keep keys and values.
struct CacheType {
  Dtype dtype;
  // True for blocks of 32 codes with one scale and no minimum; attention multiplies such codes
  // directly. If this were left out, attention would convert the codes to floats first, which is
  // correct but slow (dtype_test checks it).
  bool is_codes;
};

// The types that KernelTable::encode_row() accepts, most precise first.
inline constexpr CacheType kCacheTypes[] = {
    {Dtype::F32, false},  {Dtype::F16, false},  {Dtype::BF16, false},
    {Dtype::Q8_0, true},  {Dtype::Q5_1, false}, {Dtype::Q5_0, true},
    {Dtype::Q4_1, false}, {Dtype::Q4_0, true},  {Dtype::IQ4_NL, true},
};

}  // namespace confab::kernels
