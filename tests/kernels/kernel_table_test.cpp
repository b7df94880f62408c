// SPDX-License-Identifier: MIT
#include "kernels/kernel_table.h"

#include <gtest/gtest.h>

#include "kernels/attention_tile.h"
#include "kernels/isa.h"

namespace confab::kernels {
namespace {

TEST(KernelTableTest, ActivationsOfPlainTypesAndOfTheExactPathStayF32) {
  EXPECT_EQ(act_format(Dtype::F16, false), ActFormat::f32);
  EXPECT_EQ(act_format(Dtype::F32, false), ActFormat::f32);
  EXPECT_EQ(act_format(Dtype::BF16, false), ActFormat::bf16);
  EXPECT_EQ(act_format(Dtype::BF16, true), ActFormat::f32);
  EXPECT_EQ(act_format(Dtype::Q4_K, true), ActFormat::f32);
  EXPECT_EQ(act_format(Dtype::Q4_K, false), ActFormat::q8);
  EXPECT_EQ(act_format(Dtype::Q8_0, false), ActFormat::q8);
  EXPECT_EQ(act_format(Dtype::MLX4, false), ActFormat::f32);
}

TEST(KernelTableTest, ActRowBytes) {
  EXPECT_EQ(act_row_bytes(ActFormat::f32, 33), 132U);
  EXPECT_EQ(act_row_bytes(ActFormat::q8, 64), 64U + 2 * 16);
  EXPECT_EQ(act_row_bytes(ActFormat::q8, 0), 0U);
  EXPECT_EQ(act_row_bytes(ActFormat::bf16, 32), 64U);
  EXPECT_EQ(act_row_bytes(ActFormat::bf16, 33), 68U);
}

TEST(KernelTableTest, ScratchGrowsWithTheShape) {
  EXPECT_GT(attention_scratch_floats(1, 128, 64), attention_scratch_floats(1, 64, 64));
  EXPECT_GT(attention_scratch_floats(1, 64, 128), attention_scratch_floats(1, 64, 64));
}

// However many heads share K and V: a tile takes fewer queries then.
TEST(KernelTableTest, ScratchStaysWithinTheSecondLevelCacheOrNearly) {
  for (int n_group = 1; n_group <= kAttentionGroup; ++n_group) {
    for (const int dim : {64, 128, 256}) {
      EXPECT_LE(attention_scratch_floats(n_group, dim, dim) * sizeof(float), 1U << 20)
          << n_group << " " << dim;
    }
    EXPECT_LE(attention_scratch_floats(n_group, 576, 512) * sizeof(float), 1U << 20) << n_group;
  }
}

TEST(KernelTableTest, EveryTableIsComplete) {
  for (const KernelTable* t : usable_kernel_tables()) {
    SCOPED_TRACE(name(t->isa));
    EXPECT_NE(t->matmul, nullptr);
    EXPECT_NE(t->pack_row, nullptr);
    EXPECT_NE(t->decode_weights, nullptr);
    EXPECT_NE(t->decode_row, nullptr);
    EXPECT_NE(t->encode_row, nullptr);
    EXPECT_NE(t->rms_norm, nullptr);
    EXPECT_NE(t->rope, nullptr);
    EXPECT_NE(t->silu_mul, nullptr);
    EXPECT_NE(t->add, nullptr);
    EXPECT_NE(t->softmax, nullptr);
    EXPECT_NE(t->attention, nullptr);
    EXPECT_NE(t->attention_partial, nullptr);
    EXPECT_NE(t->attention_join, nullptr);
    EXPECT_NE(t->hadamard, nullptr);
  }
}

}  // namespace
}  // namespace confab::kernels
