// SPDX-License-Identifier: MIT
// Mixtures of experts: against float64, against each other, and each of their features against
// golden models without it.
#include <gtest/gtest.h>

#include "tests/engine/allocations.h"
#include "tests/engine/cpu/reference_forward.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden.h"
#include "tests/engine/tiny_model.h"
#include "tests/engine/without_feature.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::KernelTable;

class ExpertRegionsTest : public testing::TestWithParam<const KernelTable*> {
 protected:
  RunOptions options() const { return {.table = GetParam()}; }
};

INSTANTIATE_TEST_SUITE_P(, ExpertRegionsTest, all_tables(), table_name);

TEST_P(ExpertRegionsTest, AgreesWithFloat64) {
  const std::vector<Token> tokens = some_tokens(48, 9);
  for (const TinyModelOptions& variant :
       {TinyModelOptions{.n_expert = 4},
        TinyModelOptions{.n_ff = 40, .biases = true, .n_expert = 7, .n_expert_used = 3},
        TinyModelOptions{.n_expert = 1, .n_expert_used = 1},
        TinyModelOptions{.n_ff = 24, .n_expert = 40, .n_expert_used = 40},
        TinyModelOptions{.architecture = "qwen2moe", .n_expert = 6, .n_ff_shared = 56}}) {
    const TinyModelFile file(variant);
    const Model model = load_bare_model(file.path());
    const std::vector<double> want = ReferenceForward(model.gguf).run(tokens);
    const std::vector<float> got = run_model(model, tokens, options(), {48});
    const Difference d = difference(std::span<const float>(got), std::span<const double>(want));
    EXPECT_LE(d.nmse, 1e-10) << variant.architecture << variant.n_expert;
    EXPECT_LE(d.max_abs, 5e-4) << variant.architecture << variant.n_expert;
  }
}

TEST_P(ExpertRegionsTest, RowsDependNeitherOnTheSplitNorOnTheThreads) {
  const std::vector<Token> tokens = some_tokens(64, 9);
  for (const bool quantised : {false, true}) {
    const TinyModelFile file(
        {.architecture = "qwen2moe", .quantised = quantised, .n_expert = 6, .n_ff_shared = 64});
    const Model model = load_bare_model(file.path());
    RunOptions o = options();
    o.exact = false;
    const std::vector<float> whole = run_model(model, tokens, o, {64});
    for (const int n_threads : {1, 2, 3}) {
      o.n_threads = n_threads;
      for (const auto& split : std::vector<std::vector<int>>{{1}, {7}, {40, 1}, {63}, {64}}) {
        EXPECT_TRUE(same_bits(run_model(model, tokens, o, split), whole))
            << quantised << n_threads << " threads, first piece " << split[0];
      }
    }
  }
}

TEST_P(ExpertRegionsTest, EveryLayoutOfTheFileGivesTheSame) {
  const std::vector<Token> tokens = some_tokens(20, 9);
  std::vector<float> want;
  for (const TinyExperts layout : {TinyExperts::stacked, TinyExperts::fused, TinyExperts::apart}) {
    const TinyModelFile file({.n_expert = 4, .experts = layout});
    const Model model = load_bare_model(file.path());
    const std::vector<float> got = run_model(model, tokens, options(), {20});
    if (want.empty()) want = got;
    EXPECT_TRUE(same_bits(got, want));
  }
}

TEST_P(ExpertRegionsTest, QuantisedActivationsCostLittle) {
  const std::vector<Token> tokens = some_tokens(48, 9);
  const TinyModelFile file({.quantised = true, .n_expert = 4});
  const Model model = load_bare_model(file.path());
  RunOptions o = options();
  const std::vector<float> exact = run_model(model, tokens, o, {48});
  o.exact = false;
  const std::vector<float> fast = run_model(model, tokens, o, {48});
  const double nmse = difference(std::span<const float>(fast), std::span<const float>(exact)).nmse;
  EXPECT_GT(nmse, 0);
  EXPECT_LE(nmse, 14 * 5.2e-6 * 6.25);  // as derived in forward_test.cpp
}

TEST_P(ExpertRegionsTest, ATokenCostsSixBarriersALayer) {
  const TinyModelFile file({.n_layer = 5, .n_expert = 4});
  const Model model = load_bare_model(file.path());
  RunOptions o = options();
  o.n_threads = 2;
  Runner runner(model, o);
  const std::vector<Token> tokens = some_tokens(3, 9);
  runner.run(tokens, LogitsOf::none);
  const std::int64_t before = runner.pool.n_joins();
  runner.run(std::span(tokens).first(1), LogitsOf::last_token);
  EXPECT_GT(runner.pool.n_joins(), before);
  EXPECT_LE(runner.pool.n_joins() - before, 5 * 6 + 1);
}

TEST_P(ExpertRegionsTest, RunsWithoutAllocating) {
  if (!n_allocations()) GTEST_SKIP() << "sanitizers bring their own operator new";
  const TinyModelFile file(
      {.architecture = "qwen2moe", .quantised = true, .n_expert = 6, .n_ff_shared = 64});
  const Model model = load_bare_model(file.path());
  RunOptions o = options();
  o.n_threads = 2;
  o.exact = false;
  Runner runner(model, o);
  const std::vector<Token> tokens = some_tokens(64, 9);
  runner.cache.make_room(64 + 1 + 33);
  const long before = *n_allocations();
  runner.run(tokens, LogitsOf::all_tokens);
  runner.run(std::span(tokens).first(1), LogitsOf::last_token);
  runner.run(std::span(tokens).first(33), LogitsOf::none);
  EXPECT_EQ(*n_allocations() - before, 0);
}

TEST(ExpertFeaturesTest, WeightingMatters) {
  const auto flip = [](Model& m) {
    m.hparams.experts.normalise_weights = !m.hparams.experts.normalise_weights;
  };
  for (const char* name : {"mixtral-biases", "qwen3moe-top3", "qwen2moe", "granite-moe"}) {
    EXPECT_GT(loss_without(name, flip), kVisible) << name;
  }
}

TEST(ExpertFeaturesTest, TheNumberOfExpertsUsedMatters) {
  for (const char* name : {"mixtral-biases", "qwen3moe-top3", "gpt-oss-other-sizes"}) {
    EXPECT_GT(loss_without(name, [](Model& m) { --m.hparams.experts.n_expert_used; }), kVisible)
        << name;
  }
}

TEST(ExpertFeaturesTest, SharedExpertsAndTheirGateMatter) {
  EXPECT_GT(loss_without("granite-moe", [](Model& m) { m.hparams.experts.n_ff_shared = 0; }),
            kVisible);
  EXPECT_GT(loss_without("qwen2moe", [](Model& m) { m.hparams.experts.n_ff_shared = 0; }),
            kVisible);
  const auto always_on = [](Model& m) {
    for (LayerWeights& layer : m.weights.layers) layer.experts.shared_router.n_rows = 0;
  };
  EXPECT_GT(loss_without("qwen2moe", always_on), kVisible);
}

TEST(ExpertFeaturesTest, BiasesMatter) {
  const auto without_router_bias = [](Model& m) {
    for (LayerWeights& layer : m.weights.layers) layer.experts.router.bias = nullptr;
  };
  EXPECT_GT(loss_without("gpt-oss-other-sizes", without_router_bias), kVisible);
  for (const auto kind : {&ExpertWeights::gate, &ExpertWeights::up, &ExpertWeights::down}) {
    const auto without_biases = [&](Model& m) {
      for (LayerWeights& layer : m.weights.layers)
        for (Matrix& matrix : layer.experts.*kind) matrix.bias = nullptr;
    };
    EXPECT_GT(loss_without("gpt-oss-other-sizes", without_biases), kVisible);
  }
}

TEST(ExpertFeaturesTest, GatingAndActivationMatter) {
  EXPECT_GT(loss_without("gpt-oss-other-sizes",
                         [](Model& m) { m.hparams.experts.gating = ExpertGating::softmax; }),
            kVisible);
  EXPECT_GT(loss_without("gpt-oss-other-sizes",
                         [](Model& m) { m.hparams.activation = Activation::silu; }),
            kVisible);
}

TEST(ExpertFeaturesTest, RoutingInGroupsByABiasMatters) {
  EXPECT_GT(loss_without("deepseek2-v3", [](Model& m) { m.hparams.experts.n_group = 1; }),
            kVisible);
  EXPECT_GT(loss_without("deepseek2-v3", [](Model& m) { m.hparams.experts.weights_scale = 1; }),
            kVisible);
  const auto without_bias = [](Model& m) {
    for (LayerWeights& layer : m.weights.layers) layer.experts.selection_bias = nullptr;
  };
  EXPECT_GT(loss_without("deepseek2-v3", without_bias), kVisible);
  EXPECT_GT(loss_without("deepseek2-v3",
                         [](Model& m) { m.hparams.experts.gating = ExpertGating::softmax; }),
            kVisible);
}

TEST(ExpertFeaturesTest, ScalesOfMatricesMatter) {
  for (const auto kind : {&ExpertWeights::gate, &ExpertWeights::up, &ExpertWeights::down}) {
    const auto scale = [&](Model& m) { (m.weights.layers[0].experts.*kind)[1].scale = 0.5F; };
    EXPECT_GT(loss_without("qwen3moe-top3", scale), kVisible);
  }
}

}  // namespace
}  // namespace confab::engine
