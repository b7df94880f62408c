// SPDX-License-Identifier: MIT
// Each thing that an architecture can do around its feed-forward changes what the golden models say
// (see attention_regions_test.cpp).
#include <gtest/gtest.h>

#include <utility>

#include "tests/engine/cpu/reference_forward.h"
#include "tests/engine/tiny_model.h"
#include "tests/engine/without_feature.h"

namespace confab::engine {
namespace {

TEST(FeedForwardRegionsTest, TheActivationMatters) {
  EXPECT_GT(
      loss_without("gemma3-pattern", [](Model& m) { m.hparams.activation = Activation::silu; }),
      kVisible);
}

TEST(FeedForwardRegionsTest, TheOrderOfFusedMatricesMatters) {
  const auto swap = [](Model& m) {
    for (LayerWeights& layer : m.weights.layers) std::swap(layer.ffn_gate, layer.ffn_up);
  };
  EXPECT_GT(loss_without("glm4", swap), kVisible);
  EXPECT_GT(loss_without("phi3-longrope", swap), kVisible);
}

TEST(FeedForwardRegionsTest, NormsOfOutputsMatter) {
  for (const char* name : {"gemma3-pattern", "glm4", "olmo2"}) {
    EXPECT_GT(loss_without(name, [](Model& m) { m.hparams.post_norms = false; }), kVisible) << name;
  }
}

TEST(FeedForwardRegionsTest, PartsSideBySideMatter) {
  for (const char* name : {"command-r", "cohere2"}) {
    EXPECT_GT(loss_without(name, [](Model& m) { m.hparams.parallel = false; }), kVisible) << name;
  }
}

TEST(FeedForwardRegionsTest, MultipliersMatter) {
  EXPECT_GT(loss_without("granite", [](Model& m) { m.hparams.residual_scale = 1; }), kVisible);
  EXPECT_GT(loss_without("granite", [](Model& m) { m.hparams.embedding_scale = 1; }), kVisible);
  EXPECT_GT(loss_without("granite", [](Model& m) { m.hparams.logit_scale = 1; }), kVisible);
  EXPECT_GT(loss_without("gemma3-pattern", [](Model& m) { m.hparams.embedding_scale = 1; }),
            kVisible);
  EXPECT_GT(loss_without("gemma2-46-layers", [](Model& m) { m.hparams.logit_softcap = 0; }),
            kVisible);
}

TEST(FeedForwardRegionsTest, LayerNormIsNotRmsNorm) {
  EXPECT_GT(loss_without("command-r", [](Model& m) { m.hparams.norm = NormKind::rms; }), kVisible);
}

// What an architecture of its own would say of a file whose norms have biases, and whose
// feed-forward has no gate: values in Hparams, and nothing else.
Model described(const std::string& path, Activation activation) {
  GgufWriter writer = tiny_model({.biases = true, .layer_norms = true, .gated = false});
  writer.add("llama.attention.layer_norm_rms_epsilon", 1e-5F).write(path);
  Gguf gguf(path);
  Hparams hparams = Hparams::load(gguf);
  hparams.norm = NormKind::layer;
  hparams.has_norm_bias = true;
  hparams.has_ffn_gate = false;
  hparams.activation = activation;
  Weights weights = Weights::load(gguf, hparams);
  return {std::move(gguf), std::move(hparams), std::move(weights), nullptr};
}

double relu2(double x) {
  return x > 0 ? x * x : 0;
}

class UngatedTest : public testing::TestWithParam<const kernels::KernelTable*> {};

TEST_P(UngatedTest, NormsWithBiasesAndNoGateAgreeWithFloat64) {
  const TemporaryFolder folder;
  const std::vector<Token> tokens = some_tokens(40, 7);
  for (const auto activation : {Activation::gelu, Activation::relu2}) {
    const Model model = described(folder / "m.gguf", activation);
    ReferenceForward reference(model.gguf,
                               activation == Activation::gelu ? ReferenceForward::gelu : relu2);
    const std::vector<double> want = reference.run(tokens);
    for (const std::vector<int>& pieces : {std::vector{40}, std::vector{17, 1}}) {
      const std::vector<float> got = run_model(model, tokens, {.table = GetParam()}, pieces);
      const Difference d = difference(std::span<const float>(got), std::span<const double>(want));
      EXPECT_LE(d.nmse, 1e-10);
      EXPECT_LE(d.max_abs, 5e-4);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Isa, UngatedTest, all_tables(), table_name);

}  // namespace
}  // namespace confab::engine
