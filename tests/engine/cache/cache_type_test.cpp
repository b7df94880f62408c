// SPDX-License-Identifier: MIT
#include "engine/cache/cache_type.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

using kernels::Dtype;

TEST(CacheTypeTest, AreFoundByTheirNamesInAnyCase) {
  for (const Dtype dtype : cache_types()) {
    const kernels::DtypeInfo* found = find_cache_type(kernels::info(dtype).name);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->dtype, dtype);
  }
  EXPECT_EQ(find_cache_type("iq4_nl")->dtype, Dtype::IQ4_NL);
  EXPECT_EQ(cache_type_names().substr(0, 21), "f32, f16, bf16, q8_0,");
}

TEST(CacheTypeTest, TypesForFilesOnlyAreNone) {
  for (const char* name : {"q4_k", "nvfp4", "iq4_xs", "q8", ""})
    EXPECT_EQ(find_cache_type(name), nullptr) << name;
}

TEST(CacheTypeTest, QuantisedKeysTurnAsFarAsTheHeadDivides) {
  EXPECT_EQ(key_rotation(Dtype::Q8_0, 64), 64);
  EXPECT_EQ(key_rotation(Dtype::Q4_0, 128), 128);
  EXPECT_EQ(key_rotation(Dtype::Q4_0, 192), 64);
  EXPECT_EQ(key_rotation(Dtype::IQ4_NL, 256), 256);
  EXPECT_EQ(key_rotation(Dtype::Q4_0, 96), 0);
  EXPECT_EQ(key_rotation(Dtype::Q4_0, 32), 0);
}

TEST(CacheTypeTest, QuantisedValuesTurnBy64) {
  EXPECT_EQ(value_rotation(Dtype::Q5_1, 64), 64);
  EXPECT_EQ(value_rotation(Dtype::Q8_0, 256), 64);
  EXPECT_EQ(value_rotation(Dtype::Q8_0, 80), 0);
}

TEST(CacheTypeTest, PlainTypesStayAsTheyAre) {
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
    EXPECT_EQ(key_rotation(dtype, 128), 0);
    EXPECT_EQ(value_rotation(dtype, 128), 0);
  }
}

}  // namespace
}  // namespace confab::engine
