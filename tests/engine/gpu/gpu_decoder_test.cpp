// SPDX-License-Identifier: MIT
// The forward pass on whatever plays the graphics processor here (Mesa's lavapipe will do), against
// logits that a trusted implementation gave.
#include "engine/gpu/gpu_decoder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden_cases.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::vulkan::GpuInfo;

// The bars of a fast path: activations are rounded to eight bits.
constexpr double kNmse = 5e-4;
constexpr double kNearTie = 5e-2;

std::optional<GpuInfo> usable_gpu() {
  for (const GpuInfo& gpu : kernels::vulkan::list_gpus())
    if (gpu.lacks.empty()) return gpu;
  return std::nullopt;
}

// Logits of all tokens of one sequence, fed in pieces; the last size is used again and again.
std::vector<float> logits_of(Decoder& decoder, std::span<const Token> tokens,
                             const std::vector<int>& pieces) {
  const std::unique_ptr<Sequence> sequence = decoder.make_sequence();
  std::vector<float> all;
  for (std::size_t i = 0, piece = 0; i < tokens.size(); ++piece) {
    const int size = pieces[std::min(piece, pieces.size() - 1)];
    const std::size_t n = std::min(static_cast<std::size_t>(size), tokens.size() - i);
    const SequenceRun run{sequence.get(), tokens.subspan(i, n), LogitsOf::all_tokens};
    EXPECT_EQ(decoder.run({&run, 1}, [](int) { return true; }), RunEnd::done);
    all.insert(all.end(), decoder.logits(0).begin(), decoder.logits(0).end());
    i += n;
  }
  return all;
}

class GpuFidelityTest : public testing::TestWithParam<GoldenCase> {
 protected:
  void SetUp() override {
    gpu_ = usable_gpu();
    if (!gpu_) GTEST_SKIP() << "no graphics processor, nor Mesa's lavapipe in its place";
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
         std::vector<std::vector<int>>{{64}, {1}, {7}, {40, 1}, {3, 8}}) {
      const std::vector<float> got = logits_of(gpu, tokens_, split);
      const Difference d =
          difference(std::span<const float>(got), std::span<const float>(run.logits));
      EXPECT_LE(d.nmse, kNmse) << run.n_ctx << " by " << split[0];
      RecordProperty(fmt::format("nmse_{}", split[0]), fmt::format("{:.2e}", d.nmse));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, GpuFidelityTest, testing::ValuesIn(golden_cases()),
                         [](const testing::TestParamInfo<GoldenCase>& info) {
                           std::string name = info.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace confab::engine
