// SPDX-License-Identifier: MIT
#include "kernels/dtype.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>

namespace confab::kernels {
namespace {

constexpr std::array<DtypeInfo, 8> kDtypes{{
    {Dtype::F32, "F32", 1, 4},
    {Dtype::F16, "F16", 1, 2},
    {Dtype::Q4_0, "Q4_0", 32, 18},
    {Dtype::Q8_0, "Q8_0", 32, 34},
    {Dtype::Q4_K, "Q4_K", 256, 144},
    {Dtype::Q5_K, "Q5_K", 256, 176},
    {Dtype::Q6_K, "Q6_K", 256, 210},
    {Dtype::BF16, "BF16", 1, 2},
}};

// By number; the empty ones were given to types that no longer exist.
constexpr std::array<std::string_view, 42> kGgmlTypeNames{
    "F32",     "F16",   "Q4_0",   "Q4_1",  "",      "",       "Q5_0", "Q5_1",    "Q8_0",
    "Q8_1",    "Q2_K",  "Q3_K",   "Q4_K",  "Q5_K",  "Q6_K",   "Q8_K", "IQ2_XXS", "IQ2_XS",
    "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8",   "I16",     "I32",
    "I64",     "F64",   "IQ1_M",  "BF16",  "",      "",       "",     "TQ1_0",   "TQ2_0",
    "",        "",      "",       "MXFP4", "NVFP4", "Q1_0"};

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

const DtypeInfo& info(Dtype dtype) noexcept {
  const DtypeInfo* found = find_dtype(static_cast<std::uint32_t>(dtype));
  assert(found != nullptr);
  return *found;
}

std::size_t row_bytes(Dtype dtype, std::int64_t n) noexcept {
  const DtypeInfo& d = info(dtype);
  assert(n % d.block == 0);
  return static_cast<std::size_t>(n / d.block) * d.block_bytes;
}

}  // namespace confab::kernels
