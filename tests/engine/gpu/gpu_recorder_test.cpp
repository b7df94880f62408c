// SPDX-License-Identifier: MIT
// What a pass reads of the weights, by what its commands say of themselves.
#include "engine/gpu/gpu_recorder.h"

#include <gtest/gtest.h>

#include "engine/gpu/gpu_decoder.h"
#include "engine/model/products.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/gpu/logits_of.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::vulkan::Commands;

// All matrices once, of the embedding n_rows rows, and of experts those that are chosen.
std::uint64_t bytes_of_token(const Model& model, std::uint64_t n_rows) {
  std::uint64_t n_bytes = 0;
  for_each_product(Plan(model.hparams, model.weights), [&](const Product& product) {
    const Matrix& m = product.matrix;
    const ExpertHparams& e = model.hparams.experts;
    if (product.name == "token_embd")
      n_bytes += m.rows.row_bytes * n_rows;
    else if (product.name.ends_with("_exps"))  // one of n_expert that are visited
      n_bytes += m.n_bytes() * static_cast<std::uint64_t>(e.n_expert_used) * n_rows /
                 static_cast<std::uint64_t>(e.n_expert);
    else
      n_bytes += m.n_bytes();
  });
  return n_bytes;
}

class GpuRecorderTest : public testing::TestWithParam<TinyModelOptions> {};

TEST_P(GpuRecorderTest, WeightsAreReadOnceForUpToEightRows) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file(GetParam());
  const Model model = load_bare_model(file.path());
  GpuDecoder decoder(*kernels::vulkan::some_gpu(), model,
                     {.n_ctx = 256, .n_pages = 2, .n_batch = 16, .n_logits = 16});
  const std::vector<Token> tokens = some_tokens(17, 9);
  for (const std::size_t n_rows : {1, 8}) {
    logits_of(decoder, std::span(tokens).first(n_rows), {static_cast<int>(n_rows)});
    std::uint64_t n_bytes = 0;
    for (const Commands::Dispatch& dispatch : decoder.dispatches()) {
      n_bytes += dispatch.weight_bytes;
      EXPECT_GT(dispatch.n_instructions, 0);
    }
    EXPECT_EQ(n_bytes, bytes_of_token(model, n_rows)) << n_rows;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , GpuRecorderTest,
    testing::Values(TinyModelOptions{}, TinyModelOptions{.quantised = true},
                    TinyModelOptions{.tied = true, .biases = true},
                    TinyModelOptions{.quantised = true, .n_expert = 8},
                    TinyModelOptions{.architecture = "qwen2moe", .n_expert = 4, .n_ff_shared = 32}),
    [](const testing::TestParamInfo<TinyModelOptions>& param_info) {
      const TinyModelOptions& o = param_info.param;
      return o.architecture + (o.quantised ? "_q8" : "") + (o.tied ? "_tied" : "") +
             (o.n_expert > 0 ? "_experts" : "");
    });

}  // namespace
}  // namespace confab::engine
