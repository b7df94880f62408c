// SPDX-License-Identifier: MIT
#include "kernels/isa.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace confab::kernels {
namespace {

constexpr Isa kIsas[] = {Isa::scalar,      Isa::avx2, Isa::avx_vnni,     Isa::avx512,
                         Isa::avx512_bf16, Isa::neon, Isa::neon_dotprod, Isa::neon_i8mm};

TEST(IsaTest, ScalarIsAlwaysThereAndFirst) {
  const auto tables = usable_kernel_tables();
  ASSERT_FALSE(tables.empty());
  EXPECT_EQ(tables.front()->isa, Isa::scalar);
}

TEST(IsaTest, TheBestTableIsChosenUnlessForced) {
  EXPECT_EQ(&choose_kernel_table(""), usable_kernel_tables().back());
  for (const KernelTable* table : usable_kernel_tables()) {
    EXPECT_EQ(&choose_kernel_table(name(table->isa)), table);
    EXPECT_EQ(kernel_table(table->isa), table);
  }
}

TEST(IsaTest, NamesGoBothWays) {
  for (const Isa isa : kIsas) EXPECT_EQ(parse_isa(name(isa)), isa);
  EXPECT_EQ(parse_isa("AVX2"), std::nullopt);
  EXPECT_EQ(parse_isa(""), std::nullopt);
}

TEST(IsaTest, RefusesAnUnknownName) {
  try {
    choose_kernel_table("sse9");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("sse9"));
    EXPECT_THAT(
        e.what(),
        ::testing::HasSubstr(
            "scalar, avx2, avx_vnni, avx512, avx512_bf16, neon, neon_dotprod or neon_i8mm"));
  }
}

TEST(IsaTest, RefusesWhatThisProcessorCannotRun) {
  for (const Isa isa : kIsas) {
    if (kernel_table(isa) == nullptr) {
      EXPECT_THROW(choose_kernel_table(name(isa)), std::invalid_argument);
    }
  }
}

}  // namespace
}  // namespace confab::kernels
