// SPDX-License-Identifier: MIT
#include "tests/engine/gpu/self_test/sample.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "engine/gpu/gpu_weights.h"
#include "engine/model/products.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/model_of_type.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

TEST(SampleTest, HasOneLayerOfEachKindAndLittleOfIt) {
  for (const GoldenCase& golden : golden_cases()) {
    if (golden.name != "gemma3-62-layers" && golden.name != "mixtral-biases") continue;
    const Model model = load_bare_model(golden.model());
    const ModelPart sample = sample_of(model);
    const bool has_windows = golden.name == "gemma3-62-layers";
    EXPECT_EQ(sample.hparams.n_layer, has_windows ? 2 : 1);
    EXPECT_EQ(sample.hparams.layers.size(), sample.weights.layers.size());
    for_each_product(Plan(sample.hparams, sample.weights), [&](const Product& product) {
      EXPECT_LE(product.matrix.n_rows, product.name == "token_embd" ? kSampleRows : 1)
          << product.name;
    });
  }
}

Matrix matrix_of(const Model& model) {
  return model.weights.layers[0].attn_q;
}

Model model_of(const TemporaryFolder& folder, Dtype dtype, std::uint32_t width,
               std::uint32_t n_expert = 0) {
  const std::string path = folder / "model.gguf";
  std::ofstream(path, std::ios::binary)
      << ModelOfType(kernels::info(dtype), false, width, n_expert).bytes();
  return load_bare_model(path);
}

TEST(SampleTest, FormatsAreAskedForAsTheyAreUsed) {
  const TemporaryFolder folder;
  const Model model = model_of(folder, Dtype::Q4_K, 256, 4);
  const auto formats = formats_of(Plan(model.hparams, model.weights));
  ASSERT_EQ(formats.size(), 3U);  // of attention and output; the router's; the experts'
  const auto of = [&](Dtype dtype, bool of_experts) {
    return *std::ranges::find_if(formats, [&](const SampledFormat& f) {
      return f.dtype == dtype && f.of_experts == of_experts;
    });
  };
  const SampledFormat plain = of(Dtype::Q4_K, false), router = of(Dtype::F32, false);
  EXPECT_TRUE(plain.are_kept && plain.are_added && !plain.are_gated);
  EXPECT_EQ(plain.matrix.n_rows, 300) << "the output";
  EXPECT_TRUE(router.are_kept && !router.are_added && !router.are_gated);
  EXPECT_TRUE(of(Dtype::Q4_K, true).are_gated);
}

TEST(SampleTest, CutsAreWholeBlocksOfTheSameForm) {
  for (const auto& [dtype, width, n_cols] : {std::tuple{Dtype::Q4_K, 1024, 256},
                                             {Dtype::Q8_0, 1024, 256},
                                             {Dtype::Q6_K, 2048, 768},
                                             {Dtype::Q6_K, 512, 256},
                                             {Dtype::F32, 1024, 256}}) {
    const TemporaryFolder folder;
    const Model model = model_of(folder, dtype, static_cast<std::uint32_t>(width));
    const Matrix whole = matrix_of(model), narrow = cut(whole, kSampleRows, 256);
    EXPECT_EQ(narrow.rows.n_cols, n_cols) << kernels::info(dtype).name << ' ' << width;
    EXPECT_EQ(narrow.n_rows, kSampleRows);
    EXPECT_EQ(RowPlanes::of(narrow.rows).has_value(), RowPlanes::of(whole.rows).has_value());
    EXPECT_EQ(narrow.rows.row_bytes, kernels::row_bytes(dtype, n_cols));
    EXPECT_LE(narrow.n_bytes(), whole.n_bytes());
    const Matrix wide = cut(whole, kSampleRows, 16384);
    EXPECT_EQ(wide.rows.n_cols, width);
    EXPECT_EQ(wide.n_rows, kSampleRows);
  }
}

}  // namespace
}  // namespace confab::engine
