// SPDX-License-Identifier: MIT
#include "kernels/dtype.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>

namespace confab::kernels {
namespace {

constexpr std::array<DtypeInfo, 28> kDtypes{{
    {Dtype::F32, "F32", 1, 4},
    {Dtype::F16, "F16", 1, 2},
    {Dtype::Q4_0, "Q4_0", 32, 18},
    {Dtype::Q4_1, "Q4_1", 32, 20},
    {Dtype::Q5_0, "Q5_0", 32, 22},
    {Dtype::Q5_1, "Q5_1", 32, 24},
    {Dtype::Q8_0, "Q8_0", 32, 34},
    {Dtype::Q2_K, "Q2_K", 256, 84},
    {Dtype::Q3_K, "Q3_K", 256, 110},
    {Dtype::Q4_K, "Q4_K", 256, 144},
    {Dtype::Q5_K, "Q5_K", 256, 176},
    {Dtype::Q6_K, "Q6_K", 256, 210},
    {Dtype::IQ2_XXS, "IQ2_XXS", 256, 66},
    {Dtype::IQ2_XS, "IQ2_XS", 256, 74},
    {Dtype::IQ3_XXS, "IQ3_XXS", 256, 98},
    {Dtype::IQ1_S, "IQ1_S", 256, 50},
    {Dtype::IQ4_NL, "IQ4_NL", 32, 18},
    {Dtype::IQ3_S, "IQ3_S", 256, 110},
    {Dtype::IQ2_S, "IQ2_S", 256, 82},
    {Dtype::IQ4_XS, "IQ4_XS", 256, 136},
    {Dtype::IQ1_M, "IQ1_M", 256, 56},
    {Dtype::BF16, "BF16", 1, 2},
    {Dtype::TQ1_0, "TQ1_0", 256, 54},
    {Dtype::TQ2_0, "TQ2_0", 256, 66},
    {Dtype::MXFP4, "MXFP4", 32, 17},
    {Dtype::NVFP4, "NVFP4", 64, 36},
    {Dtype::Q1_0, "Q1_0", 128, 18},
    {Dtype::Q2_0, "Q2_0", 64, 18},
}};

constexpr std::array<DtypeInfo, 4> kWithSideScales{{
    {Dtype::MLX4, "MLX4", 8, 4},
    {Dtype::MLX8, "MLX8", 4, 4},
    {Dtype::F8_E4M3, "FP8", 1, 1},
    {Dtype::E2M1, "MXFP4", 32, 16},
}};
constexpr DtypeInfo kE8M0{Dtype::E8M0, "E8M0", 1, 1};

// Indexed by type number; includes types that no longer occur in files.
constexpr std::array<std::string_view, 43> kGgmlTypeNames{
    "F32",   "F16",        "Q4_0",       "Q4_1",       "Q4_2",     "Q4_3",     "Q5_0",
    "Q5_1",  "Q8_0",       "Q8_1",       "Q2_K",       "Q3_K",     "Q4_K",     "Q5_K",
    "Q6_K",  "Q8_K",       "IQ2_XXS",    "IQ2_XS",     "IQ3_XXS",  "IQ1_S",    "IQ4_NL",
    "IQ3_S", "IQ2_S",      "IQ4_XS",     "I8",         "I16",      "I32",      "I64",
    "F64",   "IQ1_M",      "BF16",       "Q4_0_4_4",   "Q4_0_4_8", "Q4_0_8_8", "TQ1_0",
    "TQ2_0", "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4",    "NVFP4",    "Q1_0",
    "Q2_0"};

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

const DtypeInfo* find_dtype(std::uint32_t ggml_type) noexcept {
  const auto it = std::ranges::find(kDtypes, static_cast<Dtype>(ggml_type), &DtypeInfo::dtype);
  return it == kDtypes.end() ? nullptr : &*it;
}

const DtypeInfo* find_dtype(std::string_view name) noexcept {
  const auto it = std::ranges::find_if(
      kDtypes, [&](const DtypeInfo& d) { return equal_ignoring_case(d.name, name); });
  return it == kDtypes.end() ? nullptr : &*it;
}

std::string_view ggml_type_name(std::uint32_t ggml_type) noexcept {
  return ggml_type < kGgmlTypeNames.size() ? kGgmlTypeNames[ggml_type] : std::string_view{};
}

bool has_side_scales(Dtype dtype) noexcept {
  return std::ranges::find(kWithSideScales, dtype, &DtypeInfo::dtype) != kWithSideScales.end();
}

const DtypeInfo& info(Dtype dtype) noexcept {
  if (const DtypeInfo* found = find_dtype(static_cast<std::uint32_t>(dtype))) return *found;
  if (dtype == Dtype::E8M0) return kE8M0;
  const auto it = std::ranges::find(kWithSideScales, dtype, &DtypeInfo::dtype);
  assert(it != kWithSideScales.end());
  return *it;
}

std::size_t row_bytes(Dtype dtype, std::int64_t n) noexcept {
  const DtypeInfo& d = info(dtype);
  assert(n % d.block == 0);
  return static_cast<std::size_t>(n / d.block) * d.block_bytes;
}

}  // namespace confab::kernels
