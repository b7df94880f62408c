// SPDX-License-Identifier: MIT
// The programs that read weights, for each number format by itself: rows of the embedding, and
// products with one row of activations and with several.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/gpu/shader_arguments.h"
#include "kernels/isa.h"
#include "tests/kernels/testing.h"
#include "tests/kernels/vulkan/shared_values.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::vulkan::Buffer;
using kernels::vulkan::buffer_of;
using kernels::vulkan::Commands;
using kernels::vulkan::Gpu;
using kernels::vulkan::Grid;
using kernels::vulkan::Memory;
using kernels::vulkan::Shader;

constexpr std::uint32_t kRows = 40, kCols = 512, kTokens = 9, kSubgroups = 8;

// Activations as products take them (common.glsl), and what they stand for.
struct Activations {
  Activations(Gpu& gpu, std::mt19937& rng) {
    std::vector<std::int8_t> q;
    std::vector<float> d, d_sum;
    for (std::uint32_t i = 0; i < kTokens * kCols; ++i) {
      if (i % 32 == 0) d.push_back(std::ldexp(static_cast<float>(rng() % 256 + 1), -14));
      if (i % 16 == 0) d_sum.push_back(0);
      q.push_back(static_cast<std::int8_t>(static_cast<int>(rng() % 255) - 127));
      d_sum.back() += d.back() * static_cast<float>(q.back());
      values.push_back(d.back() * static_cast<float>(q.back()));
    }
    codes = buffer_of(gpu, q);
    scales = buffer_of(gpu, d);
    sums = buffer_of(gpu, d_sum);
  }
  GpuPacked packed() const { return {codes.address(), scales.address(), sums.address()}; }

  std::vector<float> values;
  Buffer codes, scales, sums;
};

class GpuFormatFidelityTest : public testing::TestWithParam<Dtype> {
 protected:
  void SetUp() override {
    CONFAB_NEEDS_GPU();
    gpu_.emplace(*kernels::vulkan::some_gpu());
    const std::size_t n = std::size_t{kRows} * kCols;
    blocks_ = kernels::testing::random_weights(rng_, GetParam(), n);
    values_.resize(n);
    kernels::kernel_table(kernels::Isa::scalar)
        ->decode_row(GetParam(), blocks_.data(), static_cast<std::int64_t>(n), values_.data());
    weights_.emplace(*gpu_, blocks_.size());
    const Matrix matrix{.rows = {GetParam(), blocks_.data(), kCols, blocks_.size() / kRows},
                        .n_rows = kRows};
    matrix_ = weights_->put(matrix);
    weights_->finish();
    out_ = gpu_->allocate(std::size_t{kTokens} * kCols * sizeof(float), Memory::shared);
  }

  // What the program writes.
  template <typename Arguments>
  std::span<const float> run(Shader shader, const std::vector<std::uint32_t>& constants,
                             const Arguments& arguments, Grid grid) {
    Commands commands(*gpu_);
    commands.dispatch(gpu_->program(shader, matrix_.format, constants), arguments, grid);
    commands.end();
    gpu_->run(commands);
    return {reinterpret_cast<const float*>(out_.data()), std::size_t{kTokens} * kCols};
  }

  void expect_products(std::span<const float> got, const Activations& x, std::uint32_t n_tokens) {
    for (std::uint32_t t = 0; t < n_tokens; ++t) {
      for (std::uint32_t row = 0; row < kRows; ++row) {
        double sum = 0, size = 0;
        for (std::uint32_t c = 0; c < kCols; ++c) {
          const double product = double{values_[row * kCols + c]} * double{x.values[t * kCols + c]};
          sum += product;
          size += std::abs(product);
        }
        ASSERT_NEAR(got[t * kRows + row], sum, 1e-5 * size) << t << ' ' << row;
      }
    }
  }

  std::mt19937 rng_{20261126};
  std::optional<Gpu> gpu_;
  std::vector<std::byte> blocks_;
  std::vector<float> values_;
  std::optional<GpuWeights> weights_;
  GpuMatrix matrix_;
  Buffer out_;
};

TEST_P(GpuFormatFidelityTest, RowsOfTheEmbeddingAreTheValues) {
  const std::vector<GpuRow> rows{{3, 0, 0}, {0, 0, 0}, {kRows - 1, 0, 0}};
  const Buffer tokens = buffer_of(*gpu_, rows);
  const auto got = run(Shader::embed, {64},
                       EmbedArguments{matrix_.data, tokens.address(), out_.address(), matrix_.grid,
                                      kCols, matrix_.row_bytes, 1},
                       {1, static_cast<std::uint32_t>(rows.size())});
  for (std::size_t t = 0; t < rows.size(); ++t)
    for (std::uint32_t c = 0; c < kCols; ++c)
      ASSERT_EQ(got[t * kCols + c], values_[rows[t].token * kCols + c]) << t << ' ' << c;
}

TEST_P(GpuFormatFidelityTest, ProductsAreThoseOfTheValues) {
  const Activations x(*gpu_, rng_);
  MatvecArguments one(matrix_, 0);
  one.x = x.packed();
  one.y.codes = out_.address();
  const auto subgroup = static_cast<std::uint32_t>(gpu_->info().subgroup_size);
  expect_products(run(Shader::matvec, {kSubgroups * subgroup, 1, 1, 0, 0, 0, 1}, one,
                      {(kRows + kSubgroups - 1) / kSubgroups}),
                  x, 1);
  const MatmulArguments many{
      matrix_.data, 0,     x.packed(),        out_.address(), 0, 0, matrix_.grid,
      kRows,        kCols, matrix_.row_bytes, kTokens,        1, 1};
  expect_products(run(Shader::matmul, {256, 0, 0, 4}, many, {1, 1}), x, kTokens);
}

// Those that gpu_decoder_test.cpp has no models of: they differ in what their bytes mean alone.
INSTANTIATE_TEST_SUITE_P(, GpuFormatFidelityTest,
                         testing::Values(Dtype::IQ1_S, Dtype::IQ1_M, Dtype::IQ2_XXS, Dtype::IQ2_XS,
                                         Dtype::IQ3_XXS, Dtype::IQ3_S, Dtype::TQ1_0, Dtype::TQ2_0,
                                         Dtype::NVFP4, Dtype::Q1_0, Dtype::Q2_0),
                         [](const testing::TestParamInfo<Dtype>& param_info) {
                           return std::string(kernels::info(param_info.param).name);
                         });

TEST(GpuFormatsTest, AllThatFilesMayHaveAreThere) {
  CONFAB_NEEDS_GPU();
  for (std::uint32_t number = 0; !kernels::ggml_type_name(number).empty(); ++number)
    EXPECT_EQ(kernels::vulkan::has_format(number), kernels::find_dtype(number) != nullptr)
        << kernels::ggml_type_name(number);
}

}  // namespace
}  // namespace confab::engine
