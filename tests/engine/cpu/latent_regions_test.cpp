// SPDX-License-Identifier: MIT
// Latent attention beyond what the golden cases show (forward_golden_test.cpp): both layouts of a
// file are the same model, and what rounds stays close.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/without_feature.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

// What the reference loses on these matrices as Q8_0 by rounding activations to 8 bits.
constexpr double kReferenceNmse = 1.091e-3;

const std::filesystem::path kCase = CONFAB_SOURCE_DIR "/tests/data/arch/deepseek2-dense";

// Matrices of a test's own, which must outlive the model that uses them.
struct OwnMatrix {
  std::vector<std::byte> bytes;
  Matrix matrix;
};

std::vector<float> floats_of(const Matrix& m) {
  const auto n = static_cast<std::size_t>(m.n_rows * m.rows.n_cols);
  std::vector<float> values(n);
  std::memcpy(values.data(), m.rows.data, n * sizeof(float));
  return values;
}

OwnMatrix encode(const std::vector<float>& values, std::int64_t n_cols, Dtype dtype) {
  OwnMatrix own;
  const auto n = static_cast<std::int64_t>(values.size());
  own.bytes.resize(kernels::row_bytes(dtype, n));
  kernels::kernel_table(kernels::Isa::scalar)
      ->encode_row(dtype, values.data(), n, own.bytes.data());
  own.matrix.rows = {dtype, own.bytes.data(), n_cols, kernels::row_bytes(dtype, n_cols)};
  own.matrix.n_rows = n / n_cols;
  return own;
}

OwnMatrix transposed(const Matrix& m) {
  const std::vector<float> values = floats_of(m);
  const auto n_rows = static_cast<std::size_t>(m.n_rows);
  const auto n_cols = static_cast<std::size_t>(m.rows.n_cols);
  std::vector<float> turned;
  for (std::size_t c = 0; c < n_cols; ++c) {
    for (std::size_t r = 0; r < n_rows; ++r) turned.push_back(values[r * n_cols + c]);
  }
  return encode(turned, m.n_rows, Dtype::F32);
}

double nmse(std::span<const float> got, std::span<const float> want) {
  return difference(got, want).nmse;
}

class LatentRegionsTest : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  std::vector<float> logits(const RunOptions& options = {}, const std::vector<int>& split = {64}) {
    RunOptions on_table = options;
    on_table.table = GetParam();
    return run_model(model_, tokens_, on_table, split);
  }

  Model model_ = load_bare_model((kCase / "model.gguf").string());
  std::vector<Token> tokens_ = GoldenCase{"", kCase}.tokens();
};

TEST_P(LatentRegionsTest, OldLayoutIsTheSameModel) {
  const std::vector<float> want = logits();
  std::vector<OwnMatrix> owned;
  for (LayerWeights& layer : model_.weights.layers) {
    layer.latent.k_b_transposed = true;
    for (Matrix& k_b : layer.latent.k_b) {
      owned.push_back(transposed(k_b));
      k_b = owned.back().matrix;
    }
  }
  EXPECT_LE(nmse(logits(), want), 1e-12);
}

TEST_P(LatentRegionsTest, AQuantisedCacheKeepsTheLogitsClose) {
  const std::vector<float> want = logits(), got = logits({.kv = Dtype::Q8_0});
  EXPECT_LE(nmse(got, want), 1e-3);
  EXPECT_GT(nmse(got, want), 0);
  const std::vector<float> split = logits({.kv = Dtype::Q8_0}, {7, 40, 1});
  EXPECT_EQ(std::memcmp(split.data(), got.data(), got.size() * sizeof(float)), 0);
}

// Weights that are packed give the same logits on the exact path as those that they stand for, and
// close ones where activations are rounded.
TEST_P(LatentRegionsTest, QuantisedWeightsAreUnpackedAsTheyStand) {
  std::vector<OwnMatrix> owned;
  const auto replace = [&](Matrix& m, Dtype dtype) {
    std::vector<float> values = floats_of(m);
    OwnMatrix packed = encode(values, m.rows.n_cols, Dtype::Q8_0);
    GetParam()->decode_row(Dtype::Q8_0, packed.bytes.data(),
                           static_cast<std::int64_t>(values.size()), values.data());
    owned.push_back(encode(values, m.rows.n_cols, dtype));
    m = owned.back().matrix;
  };
  const auto replace_all = [&](Dtype dtype) {
    for (LayerWeights& layer : model_.weights.layers) {
      for (Matrix* m : {&layer.attn_q, &layer.latent.q_a, &layer.latent.kv_a}) replace(*m, dtype);
      for (Matrix& k_b : layer.latent.k_b) replace(k_b, dtype);
      for (Matrix& v_b : layer.latent.v_b) replace(v_b, dtype);
    }
  };
  replace_all(Dtype::F32);
  const std::vector<float> want = logits();
  replace_all(Dtype::Q8_0);
  EXPECT_LE(nmse(logits(), want), 1e-10);
  const double fast = nmse(logits({.exact = false}), want);
  EXPECT_LE(fast, 1.2 * kReferenceNmse);
  EXPECT_GT(fast, 0);
}

TEST(LatentRotationTest, TheRotatedPartIsBehindTheLatent) {
  const auto rotate_latent = [](Model& model) { model.hparams.ropes[0].offset = 0; };
  EXPECT_GT(loss_without("deepseek2-dense", rotate_latent), kVisible);
}

TEST(LatentRotationTest, YarnsGrowthOfTheScoresMatters) {
  const auto plain_scores = [](Model& model) { model.hparams.attn_scale = 0; };
  EXPECT_GT(loss_without("deepseek2-dense", plain_scores), kVisible);
}

INSTANTIATE_TEST_SUITE_P(, LatentRegionsTest, all_tables(), table_name);

}  // namespace
}  // namespace confab::engine
