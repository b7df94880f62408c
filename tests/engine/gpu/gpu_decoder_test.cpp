// SPDX-License-Identifier: MIT
// The forward pass on whatever plays the graphics processor here (Mesa's lavapipe will do), against
// logits that a trusted implementation gave.
#include "engine/gpu/gpu_decoder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/gpu/logits_of.h"
#include "tests/engine/model_of_type.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::vulkan::GpuInfo;

// The bars of a fast path: activations are rounded to eight bits.
constexpr double kNmse = 5e-4;
// Of random blocks, as the tests of the processor have it (forward_quant_test).
constexpr double kTypeNmse = 2e-3;

class GpuFidelityTest : public testing::TestWithParam<GoldenCase> {
 protected:
  void SetUp() override {
    CONFAB_NEEDS_GPU();
    gpu_ = kernels::vulkan::some_gpu();
    tokens_ = GetParam().tokens();
    runs_ = GetParam().runs();
    ASSERT_FALSE(runs_.empty());
    model_.emplace(load_bare_model(GetParam().model()));
    if (const std::string why = gpu_refusal(*model_, Dtype::F32, Dtype::F32); !why.empty())
      GTEST_SKIP() << "this model " << why;
  }

  GpuDecoder decoder(const GoldenRun& run, Dtype kv = Dtype::F32) const {
    return GpuDecoder(*gpu_, *model_,
                      {.n_ctx = run.n_ctx,
                       .n_pages = count_blocks(run.n_ctx) + 2,
                       .type_k = kv,
                       .type_v = kv,
                       .n_batch = 64,
                       .n_logits = 64});
  }

  std::optional<GpuInfo> gpu_;
  std::optional<Model> model_;
  std::vector<GoldenRun> runs_;
  std::vector<Token> tokens_;
};

TEST_P(GpuFidelityTest, EverySplitOfThePromptMeetsTheBar) {
  for (const GoldenRun& run : runs_) {
    GpuDecoder gpu = decoder(run);
    for (const std::vector<int>& split :
         std::vector<std::vector<int>>{{64}, {1, 20}, {7}, {40, 1}, {3, 8}}) {
      const std::vector<float> got = logits_of(gpu, tokens_, split);
      const Difference d =
          difference(std::span<const float>(got), std::span<const float>(run.logits));
      EXPECT_LE(d.nmse, kNmse) << run.n_ctx << " by " << split[0];
      RecordProperty(fmt::format("nmse_{}", split[0]), fmt::format("{:.2e}", d.nmse));
    }
  }
}

// Up to the first token that rounding may change, by how far the prompt's logits are off.
TEST_P(GpuFidelityTest, WritesWhatTheReferenceWritesWhereMarginsAllow) {
  constexpr double kMargin = 6;
  std::size_t n_written = 0;
  for (const GoldenRun& run : runs_) {
    GpuDecoder gpu = decoder(run);
    const std::vector<float> prompt = logits_of(gpu, tokens_, {64});
    const double nmse = difference(std::span(prompt), std::span<const float>(run.logits)).nmse;
    const auto sequence = gpu.make_sequence();
    std::vector<float> got;
    std::span<const Token> next = tokens_;
    for (std::size_t i = 0; i < run.greedy_tokens.size(); ++i) {
      const SequenceRun pass{sequence.get(), next, LogitsOf::last_token};
      ASSERT_EQ(gpu.run({&pass, 1}, [](int) { return true; }), RunEnd::done);
      const std::span<const float> row = gpu.logits(0);
      if (i > 0) got.insert(got.end(), row.begin(), row.end());
      const double square = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
      if (run.margins[i] < kMargin * std::sqrt(nmse * square / static_cast<double>(row.size())))
        break;
      ASSERT_EQ(std::ranges::max_element(row) - row.begin(), run.greedy_tokens[i]) << i;
      ++n_written;
      next = std::span(run.greedy_tokens).subspan(i, 1);
    }
    const auto want = std::span<const float>(run.greedy_logits).first(got.size());
    if (got.empty()) continue;
    EXPECT_LE(difference(std::span<const float>(got), want).nmse, kNmse);
  }
  RecordProperty("written", static_cast<int>(n_written));
}

TEST_P(GpuFidelityTest, CachesOfOtherTypesMeetTheBar) {
  const GoldenRun& run = runs_.front();
  const auto nmse_of = [&](Dtype kv) {
    GpuDecoder gpu = decoder(run, kv);
    const std::vector<float> got = logits_of(gpu, tokens_, {40, 1});
    return difference(std::span<const float>(got), std::span<const float>(run.logits)).nmse;
  };
  EXPECT_LE(nmse_of(Dtype::F16), kNmse);
  const LayerHparams& layer = model_->hparams.layers.front();
  if (layer.head_dim_k % 32 == 0 && layer.head_dim_v % 32 == 0) {
    EXPECT_LE(nmse_of(Dtype::Q8_0), kTypeNmse);
  }
}

INSTANTIATE_TEST_SUITE_P(, GpuFidelityTest, testing::ValuesIn(golden_cases()),
                         [](const testing::TestParamInfo<GoldenCase>& param_info) {
                           std::string name = param_info.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Whose blocks are not taken apart then.
TEST(GpuDecoderTest, MappedWeightsAreAsGoodAsCopies) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file({.n_layer = 1, .n_embd = 256, .n_ff = 512, .quantised = true});
  const Model model = load_bare_model(file.path());
  const std::vector<Token> tokens = some_tokens(12, 3);
  const auto run = [&](bool may_import) {
    GpuDecoder decoder(*kernels::vulkan::some_gpu(), model,
                       {.n_ctx = 256, .n_pages = 2, .n_batch = 16, .n_logits = 16},
                       {.may_import = may_import});
    EXPECT_EQ(decoder.weights().imported_bytes() > 0,
              may_import && kernels::vulkan::some_gpu()->type == GpuInfo::Type::processor);
    return logits_of(decoder, tokens, {12, 1});
  };
  const std::vector<float> copied = run(false), mapped = run(true);
  EXPECT_LE(difference(std::span(mapped), std::span(copied)).nmse, 1e-9);
}

// More than are kept, each with the next one that is recorded while it runs.
TEST(GpuDecoderTest, PassesOfManyShapesRepeatBitForBit) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file({.n_layer = 1});
  const Model model = load_bare_model(file.path());
  GpuDecoder decoder(*kernels::vulkan::some_gpu(), model,
                     {.n_ctx = 256, .n_pages = 2, .n_batch = 64, .n_logits = 64});
  const std::vector<Token> tokens = some_tokens(48, 9);
  const std::vector<float> first = logits_of(decoder, tokens, {20, 1});
  for (int n = 1; n <= 40; ++n)
    logits_of(decoder, std::span(tokens).first(static_cast<std::size_t>(n)), {n});
  EXPECT_TRUE(same_bits(logits_of(decoder, tokens, {20, 1}), first));
}

TEST(GpuDecoderTest, TheBestLogitsAreThoseOfTheRows) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file({.quantised = true});
  const Model model = load_bare_model(file.path());
  GpuDecoder decoder(*kernels::vulkan::some_gpu(), model,
                     {.n_ctx = 256, .n_pages = 4, .n_batch = 16, .n_logits = 16});
  const std::vector<Token> tokens = some_tokens(12, 4);
  // Three rows of one sequence and the last of another.
  const auto run = [&](int n_top_a, int n_top_b) {
    const auto a = decoder.make_sequence(), b = decoder.make_sequence();
    const SequenceRun runs[] = {
        {a.get(), std::span(tokens).first(3), LogitsOf::all_tokens, n_top_a},
        {b.get(), std::span(tokens).subspan(3, 2), LogitsOf::last_token, n_top_b}};
    EXPECT_EQ(decoder.run(runs, [](int) { return true; }), RunEnd::done);
  };
  run(0, 0);
  const std::vector<float> rows(decoder.logits(0).begin(), decoder.logits(0).end());
  const std::vector<float> hidden(decoder.hidden(1).begin(), decoder.hidden(1).end());
  ASSERT_EQ(rows.size(), 900U);
  EXPECT_TRUE(decoder.top(0).empty());
  run(40, 1);
  EXPECT_TRUE(decoder.logits(0).empty());
  EXPECT_EQ(decoder.top(1).size(), 40U) << "the most that one of them wants";
  ASSERT_EQ(decoder.top(0).size(), 120U);
  EXPECT_TRUE(same_bits(hidden, {decoder.hidden(1).begin(), decoder.hidden(1).end()}));
  for (std::size_t row = 0; row < 3; ++row) {
    std::vector<float> best(rows.begin() + 300 * static_cast<std::ptrdiff_t>(row),
                            rows.begin() + 300 * static_cast<std::ptrdiff_t>(row + 1));
    const std::vector<float> all = best;
    std::ranges::sort(best, std::greater<>());
    for (std::size_t i = 0; i < 40; ++i) {
      const TopLogit& found = decoder.top(0)[row * 40 + i];
      EXPECT_EQ(found.logit, best[i]) << row << ' ' << i;
      EXPECT_EQ(found.logit, all[static_cast<std::size_t>(found.token)]);
    }
  }
  for (const auto& [a, b] : {std::pair{40, 0}, std::pair{65, 1}}) {
    run(a, b);
    EXPECT_TRUE(decoder.top(0).empty());
    EXPECT_TRUE(same_bits(rows, {decoder.logits(0).begin(), decoder.logits(0).end()})) << a;
  }
}

class GpuOfTypeTest : public testing::TestWithParam<Dtype> {};

TEST_P(GpuOfTypeTest, RunsMatricesOfATypeAsTheirValues) {
  CONFAB_NEEDS_GPU();
  const GpuInfo gpu = *kernels::vulkan::some_gpu();
  const TemporaryFolder folder;
  const kernels::DtypeInfo& type = kernels::info(GetParam());
  const std::uint32_t width = type.dtype == Dtype::Q6_K ? 2048 : 256;  // rows of whole planes
  const auto write = [&](const char* name, bool decoded) {
    const std::string path = folder / name;
    std::ofstream(path, std::ios::binary) << ModelOfType(type, decoded, width).bytes();
    return load_bare_model(path);
  };
  const std::vector<Token> tokens = some_tokens(12, 7);
  const std::vector<float> want = run_model(write("values.gguf", true), tokens, {}, {12});
  const Model model = write("blocks.gguf", false);
  GpuDecoder decoder(gpu, model,
                     {.n_ctx = 256,
                      .n_pages = 2,
                      .type_k = Dtype::F32,
                      .type_v = Dtype::F32,
                      .n_batch = 16,
                      .n_logits = 16});
  for (const std::vector<int>& split : std::vector<std::vector<int>>{{12}, {5, 1}}) {
    const std::vector<float> got = logits_of(decoder, tokens, split);
    const Difference d = difference(std::span<const float>(got), std::span<const float>(want));
    EXPECT_LE(d.nmse, kTypeNmse) << split[0];
    RecordProperty(fmt::format("nmse_{}", split[0]), fmt::format("{:.2e}", d.nmse));
  }
}

// More types: gpu_formats_test.cpp.
INSTANTIATE_TEST_SUITE_P(, GpuOfTypeTest,
                         testing::Values(Dtype::F16, Dtype::BF16, Dtype::Q4_0, Dtype::Q4_1,
                                         Dtype::Q5_0, Dtype::Q5_1, Dtype::Q8_0, Dtype::Q2_K,
                                         Dtype::Q3_K, Dtype::Q4_K, Dtype::Q5_K, Dtype::Q6_K,
                                         Dtype::IQ2_S, Dtype::IQ4_NL, Dtype::IQ4_XS, Dtype::MXFP4),
                         [](const testing::TestParamInfo<Dtype>& param_info) {
                           return std::string(kernels::info(param_info.param).name);
                         });

}  // namespace
}  // namespace confab::engine
