// SPDX-License-Identifier: MIT
#include "kernels/dtype.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kernels/tables.h"
#include "kernels/unpack/unpack.h"
#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

TEST(DtypeTest, FindsByNumberAndByNameInAnyCase) {
  const DtypeInfo* q4_k = find_dtype(12U);
  ASSERT_NE(q4_k, nullptr);
  EXPECT_EQ(q4_k->name, "Q4_K");
  EXPECT_EQ(find_dtype("q4_k"), q4_k);
  EXPECT_EQ(find_dtype("Q4_K"), q4_k);
  EXPECT_EQ(&info(Dtype::Q4_K), q4_k);
}

// Whether a row of the type is codes of which each 32 have one scale, and no minimum.
bool unpacks_to_codes(Dtype dtype) {
  std::mt19937 rng(3);
  const std::vector<float> x = testing::random_floats(rng, kUnpackedWeights, 3);
  std::vector<std::byte> row(row_bytes(dtype, kUnpackedWeights));
  kScalarTable.encode_row(dtype, x.data(), kUnpackedWeights, row.data());
  Unpacked unpacked;
  unpack_of(dtype)(row.data(), kUnpackedWeights, unpacked);
  bool is_codes = info(dtype).block == 32;
  for (int i = 0; i < kUnpackedWeights / 16; ++i) {
    is_codes &= unpacked.min[i] == 0 && unpacked.scale[i] == unpacked.scale[i / 2 * 2];
  }
  return is_codes;
}

// A type that is forgotten here would be right, but attention would turn it into floats first.
TEST(DtypeTest, CacheTypesThatAreCodesSaySo) {
  for (const CacheType& type : kCacheTypes) {
    const bool is_codes = info(type.dtype).block > 1 && unpacks_to_codes(type.dtype);
    EXPECT_EQ(type.is_codes, is_codes) << info(type.dtype).name;
  }
}

TEST(DtypeTest, UnknownIsNull) {
  EXPECT_EQ(find_dtype(4U), nullptr);
  EXPECT_EQ(find_dtype(4'000'000'000U), nullptr);
  EXPECT_EQ(find_dtype("q4"), nullptr);
  EXPECT_EQ(find_dtype(""), nullptr);
}

TEST(DtypeTest, TypesWithSideScalesAreInNoGgufFile) {
  for (const Dtype dtype : {Dtype::MLX4, Dtype::MLX8, Dtype::F8_E4M3}) {
    EXPECT_TRUE(has_side_scales(dtype));
    EXPECT_EQ(info(dtype).dtype, dtype);
    EXPECT_EQ(find_dtype(static_cast<std::uint32_t>(dtype)), nullptr);
    EXPECT_EQ(find_dtype(info(dtype).name), nullptr);
  }
  EXPECT_TRUE(has_side_scales(Dtype::E2M1));
  EXPECT_EQ(info(Dtype::E2M1).name, info(Dtype::MXFP4).name) << "the same numbers";
  EXPECT_EQ(row_bytes(Dtype::E2M1, 64) + row_bytes(Dtype::E8M0, 2), row_bytes(Dtype::MXFP4, 64));
  EXPECT_FALSE(has_side_scales(Dtype::E8M0));
  EXPECT_EQ(row_bytes(Dtype::MLX4, 64), 32U);
  EXPECT_EQ(row_bytes(Dtype::MLX8, 64), 64U);
  EXPECT_EQ(row_bytes(Dtype::F8_E4M3, 7), 7U);
  EXPECT_FALSE(has_side_scales(Dtype::Q4_K));
}

TEST(DtypeTest, KnowsTheNamesOfTypesItCannotRead) {
  EXPECT_EQ(ggml_type_name(4), "Q4_2");  // removed from the format
  EXPECT_EQ(ggml_type_name(9), "Q8_1");  // of activations
  EXPECT_EQ(ggml_type_name(26), "I32");
  EXPECT_EQ(ggml_type_name(38), "IQ4_NL_8_8");
  EXPECT_EQ(ggml_type_name(43), "");
  EXPECT_EQ(ggml_type_name(1000), "");
}

TEST(DtypeTest, NamesAndTypesHaveTheSameNumbers) {
  int n_types = 0;
  for (std::uint32_t number = 0; number < 256; ++number) {
    const DtypeInfo* type = find_dtype(number);
    if (type == nullptr) continue;
    ++n_types;
    EXPECT_EQ(static_cast<std::uint32_t>(type->dtype), number);
    EXPECT_EQ(ggml_type_name(number), type->name);
  }
  EXPECT_EQ(n_types, 28);
}

TEST(DtypeTest, RowBytes) {
  EXPECT_EQ(row_bytes(Dtype::F32, 10), 40U);
  EXPECT_EQ(row_bytes(Dtype::BF16, 10), 20U);
  EXPECT_EQ(row_bytes(Dtype::Q8_0, 64), 68U);
  EXPECT_EQ(row_bytes(Dtype::Q6_K, 512), 420U);
  EXPECT_EQ(row_bytes(Dtype::Q5_K, 0), 0U);
}

}  // namespace
}  // namespace confab::kernels
