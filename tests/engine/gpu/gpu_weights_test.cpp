// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_weights.h"

#include <gtest/gtest.h>

#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

TEST(GpuWeightsTest, WhatIsPutTwiceIsThereOnce) {
  CONFAB_NEEDS_GPU();
  kernels::vulkan::Gpu gpu(*kernels::vulkan::some_gpu());
  const std::vector<float> values(64 * 32, 0.5F);
  std::uint64_t told = 0;
  GpuWeights weights(gpu, values.size() * sizeof(float),
                     {.progress = [&told](std::uint64_t n, std::uint64_t) { told = n; }});
  const Matrix matrix{.rows = {Dtype::F32, std::as_bytes(std::span(values)).data(), 32, 128},
                      .n_rows = 64,
                      .scale = 2};
  const GpuMatrix first = weights.put(matrix), second = weights.put(matrix);
  EXPECT_NE(first.data, 0U);
  EXPECT_EQ(first.data, second.data);
  EXPECT_EQ(first.n_rows, 64U);
  EXPECT_EQ(first.n_cols, 32U);
  EXPECT_EQ(first.row_bytes, 128U);
  EXPECT_EQ(first.scale, 2);
  EXPECT_TRUE(first.reads_floats());
  EXPECT_EQ(weights.n_bytes(), values.size() * sizeof(float));
  EXPECT_EQ(told, weights.n_bytes());
  weights.finish();
}

TEST(GpuWeightsTest, LargeMatricesAreReadWhereTheyAre) {
  CONFAB_NEEDS_GPU();
  kernels::vulkan::Gpu gpu(*kernels::vulkan::some_gpu());
  if (!gpu.info().shares_memory) GTEST_SKIP() << "a graphics processor with memory of its own";
  const std::vector<float> values(512 * 128, 0.5F);
  const auto matrix = [&](std::int64_t n_rows) {
    return Matrix{.rows = {Dtype::F32, std::as_bytes(std::span(values)).data(), 128, 512},
                  .n_rows = n_rows};
  };
  GpuWeights copied(gpu, 0), imported(gpu, 0, {.may_import = true});
  copied.put(matrix(512));
  EXPECT_EQ(copied.imported_bytes(), 0U);
  EXPECT_FALSE(copied.are_imported());
  const GpuMatrix large = imported.put(matrix(512));
  if (imported.imported_bytes() == 0) GTEST_SKIP() << "its driver does not import memory";
  EXPECT_EQ(imported.imported_bytes(), 512U * 512);
  EXPECT_EQ(imported.put(matrix(512)).data, large.data);
  EXPECT_EQ(imported.imported_bytes(), 512U * 512) << "once";
  const std::vector<float> norm(1000), other(1000);
  imported.put(norm.data(), 1000);
  EXPECT_TRUE(imported.are_imported()) << "but for a vector";
  imported.put(other.data(), 1000);
  EXPECT_FALSE(imported.are_imported()) << "that is more than vectors are";
}

// An embedding that is the output too, where a driver does not take it as it is.
TEST(GpuWeightsTest, WhatCannotBeImportedIsTheSameCopyTwice) {
  CONFAB_NEEDS_GPU();
  kernels::vulkan::Gpu gpu(*kernels::vulkan::some_gpu());
  constexpr std::size_t kRowBytes = 8 * 34, kRows = 512;
  const std::vector<std::byte> bytes(kRows * kRowBytes + 16);
  const bool at_sixteen = reinterpret_cast<std::uintptr_t>(bytes.data()) % 16 == 0;
  const std::byte* data = bytes.data() + (at_sixteen ? 8 : 0);  // which is not imported
  const Matrix matrix{.rows = {Dtype::Q8_0, data, 256, kRowBytes}, .n_rows = kRows};
  GpuWeights weights(gpu, 0, {.may_import = true});
  const GpuMatrix first = weights.put(matrix), second = weights.put(matrix);
  EXPECT_EQ(weights.imported_bytes(), 0U);
  EXPECT_EQ(second.data, first.data);
  EXPECT_EQ(second.format, first.format);
  EXPECT_NE(first.format, static_cast<std::uint32_t>(Dtype::Q8_0)) << "rows are taken apart";
  weights.finish();
}

TEST(GpuWeightsTest, WhatThereIsNotHasNoAddress) {
  CONFAB_NEEDS_GPU();
  kernels::vulkan::Gpu gpu(*kernels::vulkan::some_gpu());
  GpuWeights weights(gpu, 0);
  EXPECT_EQ(weights.put(Matrix{}).n_rows, 0U);
  EXPECT_EQ(weights.put(Norm{}, 32).weight, 0U);
  EXPECT_EQ(weights.put(static_cast<const float*>(nullptr), 32), 0U);
  EXPECT_EQ(weights.n_bytes(), 0U);
}

}  // namespace
}  // namespace confab::engine
