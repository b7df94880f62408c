// SPDX-License-Identifier: MIT
#include "engine/gguf/file_type.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

using kernels::Dtype;

TEST(FileTypeTest, IsFoundByItsNameInAnyCase) {
  ASSERT_NE(find_file_type("Q4_K_M"), nullptr);
  EXPECT_EQ(find_file_type("q4_k_m"), find_file_type("Q4_K_M"));
  EXPECT_EQ(find_file_type("Q4_K_M")->number, 15U);
  EXPECT_EQ(find_file_type("Q4_K_M")->dtype, Dtype::Q4_K);
  EXPECT_EQ(find_file_type("q5_k_s")->mix, Mix::small);
  EXPECT_EQ(find_file_type("bf16")->number, 32U);
}

TEST(FileTypeTest, TheShortNamesMeanTheMediumMix) {
  EXPECT_EQ(find_file_type("Q4_K"), find_file_type("Q4_K_M"));
  EXPECT_EQ(find_file_type("q5_k"), find_file_type("Q5_K_M"));
}

TEST(FileTypeTest, OthersAreUnknown) {
  for (const char* name : {"", "Q4", "Q4_K_", "Q4_K_L", "F32", "Q4_0_", "Q6_K_M", "Q8"})
    EXPECT_EQ(find_file_type(name), nullptr) << name;
}

TEST(FileTypeTest, NamesAllOfThem) {
  EXPECT_EQ(file_type_names(), "F16, BF16, Q8_0, Q6_K, Q5_K_M, Q5_K_S, Q4_K_M, Q4_K_S, Q4_0");
}

TEST(FileTypeTest, ThoseThatDifferInSizeGoFromMostBitsToFewest) {
  double before = 64;
  for (const FileType& type : sized_file_types()) {
    const kernels::DtypeInfo& info = kernels::info(type.dtype);
    const double bits =
        8.0 * static_cast<double>(info.block_bytes) / static_cast<double>(info.block);
    EXPECT_LE(bits, before) << type.name;
    before = bits;
  }
  EXPECT_EQ(sized_file_types().front().name, "F16");
  EXPECT_EQ(find_file_type("Q3_K_S"), nullptr) << "that nobody here can make";
}

}  // namespace
}  // namespace confab::engine
