// SPDX-License-Identifier: MIT
// Mixtures of experts on whatever plays the graphics processor here: its router and its order of
// choices against the processor's, and whole mixtures of each kind of matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "engine/cpu/router.h"
#include "engine/gpu/gpu_decoder.h"
#include "engine/gpu/shader_arguments.h"
#include "engine/model/hparams.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden.h"
#include "tests/engine/gpu/logits_of.h"
#include "tests/engine/model_of_type.h"
#include "tests/kernels/vulkan/shared_values.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::vulkan::Buffer;
using kernels::vulkan::buffer_of;
using kernels::vulkan::Commands;
using kernels::vulkan::Gpu;
using kernels::vulkan::Memory;
using kernels::vulkan::Shader;
using kernels::vulkan::values;

std::uint32_t u32(int n) {
  return static_cast<std::uint32_t>(n);
}

std::vector<float> normal_floats(std::mt19937& rng, std::size_t n) {
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> made(n);
  for (float& value : made) value = normal(rng);
  return made;
}

struct Routed {
  std::vector<std::uint32_t> ids;  // [n, n_expert_used]
  std::vector<float> weights;
};

Routed route(Gpu& gpu, const ExpertHparams& e, const std::vector<float>& logits,
             const std::vector<float>& bias) {
  const std::size_t n = logits.size() / static_cast<std::size_t>(e.n_expert);
  const std::size_t n_choices = n * static_cast<std::size_t>(e.n_expert_used);
  const Buffer from = buffer_of(gpu, logits);
  const Buffer biases = buffer_of(gpu, bias.empty() ? std::vector<float>{0} : bias);
  const Buffer ids = gpu.allocate(n_choices * 4, Memory::shared);
  const Buffer weights = gpu.allocate(n_choices * 4, Memory::shared);
  const std::vector<std::uint32_t> constants{64,
                                             static_cast<std::uint32_t>(e.gating),
                                             u32(e.n_expert),
                                             u32(e.n_expert_used),
                                             u32(e.n_group),
                                             u32(e.n_group_used),
                                             e.normalise_weights ? 1U : 0U};
  Commands commands(gpu);
  commands.dispatch(gpu.program(Shader::route, 0, constants),
                    RouteArguments{from.address(), bias.empty() ? 0 : biases.address(), 0,
                                   ids.address(), weights.address(), e.weights_scale},
                    {static_cast<std::uint32_t>(n)});
  commands.end();
  gpu.run(commands);
  const auto got_ids = values<std::uint32_t>(ids).first(n_choices);
  const auto got_weights = values<float>(weights).first(n_choices);
  return {{got_ids.begin(), got_ids.end()}, {got_weights.begin(), got_weights.end()}};
}

void expect_same_choice(const ExpertHparams& e, std::span<float> logits, const float* bias,
                        std::span<const std::uint32_t> ids, std::span<const float> weights) {
  std::vector<ChosenExpert> want(ids.size());
  choose_experts(e, *kernels::kernel_table(kernels::Isa::scalar), logits.data(), bias, want.data());
  for (const ChosenExpert& expert : want) {
    const auto found = std::ranges::find(ids, static_cast<std::uint32_t>(expert.id));
    ASSERT_NE(found, ids.end()) << "expert " << expert.id << " is not chosen";
    EXPECT_NEAR(weights[static_cast<std::size_t>(found - ids.begin())], expert.weight,
                1e-5F * std::max(1.0F, std::abs(expert.weight)));
  }
}

const ExpertHparams kRouters[] = {
    {.n_expert = 5, .n_expert_used = 2},
    {.n_expert = 128, .n_expert_used = 8, .normalise_weights = true},
    {.n_expert = 32, .n_expert_used = 4, .gating = ExpertGating::softmax_of_chosen},
    {.n_expert = 64,
     .n_expert_used = 6,
     .gating = ExpertGating::sigmoid,
     .n_group = 8,
     .n_group_used = 3,
     .normalise_weights = true,
     .weights_scale = 2.5F},
    {.n_expert = 1024, .n_expert_used = 10, .weights_scale = 16},
    {.n_expert = 3, .n_expert_used = 3, .gating = ExpertGating::sigmoid},
};

TEST(MixtureRecorderTest, TheRouterChoosesAndWeighsAsTheProcessors) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*kernels::vulkan::some_gpu());
  std::mt19937 rng(20261125);
  constexpr std::size_t kTokens = 9;
  for (const ExpertHparams& e : kRouters) {
    for (const bool biased : {false, true}) {
      const auto n = static_cast<std::size_t>(e.n_expert),
                 used = static_cast<std::size_t>(e.n_expert_used);
      std::vector<float> logits = normal_floats(rng, kTokens * n);
      const std::vector<float> bias = biased ? normal_floats(rng, n) : std::vector<float>();
      const Routed got = route(gpu, e, logits, bias);
      for (std::size_t t = 0; t < kTokens; ++t)
        expect_same_choice(e, std::span(logits).subspan(t * n, n), biased ? bias.data() : nullptr,
                           std::span(got.ids).subspan(t * used, used),
                           std::span(got.weights).subspan(t * used, used));
    }
  }
}

TEST(MixtureRecorderTest, TheRouterStaysInRangeWhateverTheLogits) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*kernels::vulkan::some_gpu());
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const ExpertGating gating :
       {ExpertGating::softmax, ExpertGating::sigmoid, ExpertGating::softmax_of_chosen}) {
    const ExpertHparams e{.n_expert = 8, .n_expert_used = 3, .gating = gating};
    std::vector<float> logits(8, 0.5F);
    for (const float odd : {kNan, kInfinity, -kInfinity}) logits.insert(logits.end(), 8, odd);
    logits.insert(logits.end(), {1, kNan, 3, kInfinity, 2, kNan, -kInfinity, 0});
    const Routed got = route(gpu, e, logits, {});
    for (std::size_t t = 0; t < 5; ++t) {
      std::vector<std::uint32_t> ids(got.ids.begin() + 3 * t, got.ids.begin() + 3 * t + 3);
      std::ranges::sort(ids);
      EXPECT_LT(ids.back(), 8U);
      EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end()) << "an expert twice in row " << t;
    }
    // Of experts with the same score the lower ones.
    EXPECT_EQ(std::vector(got.ids.begin(), got.ids.begin() + 3),
              (std::vector<std::uint32_t>{0, 1, 2}));
  }
}

TEST(MixtureRecorderTest, ChoicesAreBroughtInTheOrderOfTheirExpertsAndCutIntoTiles) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*kernels::vulkan::some_gpu());
  constexpr int kChoices = 1000, kExperts = 7;
  std::mt19937 rng(20261126);
  std::vector<std::uint32_t> chosen(kChoices);
  for (std::uint32_t& id : chosen)
    id = static_cast<std::uint32_t>(rng() % 10 < 6 ? 2 : rng() % kExperts);
  std::ranges::replace(chosen, 4U, 5U);  // nobody chooses 4
  const int n_tiles = most_tiles(kChoices, kExperts);
  const Buffer ids = buffer_of(gpu, chosen);
  const auto room = [&](int n) {
    return buffer_of(gpu, std::vector(static_cast<std::size_t>(n), ~0U));
  };
  const Buffer places = room(kChoices), sources = room(kChoices), tiles = room(3 * n_tiles);
  const Buffer grids = room(6);
  const std::vector<std::uint32_t> constants{256, kExperts, kTileRows};
  Commands commands(gpu);
  commands.dispatch(gpu.program(Shader::group, 0, constants),
                    GroupArguments{ids.address(), places.address(), sources.address(),
                                   tiles.address(), grids.address(), kChoices, 5, 9},
                    {});
  commands.end();
  gpu.run(commands);
  const auto place = values<std::uint32_t>(places), source = values<std::uint32_t>(sources);
  const auto grid = values<std::uint32_t>(grids);
  const std::uint32_t n_written = grid[1];
  EXPECT_EQ(std::vector(grid.begin(), grid.end()),
            (std::vector<std::uint32_t>{5, n_written, 1, 9, n_written, 1}));
  ASSERT_LE(n_written, u32(n_tiles));
  std::vector<int> covered(kChoices);
  for (std::uint32_t i = 0; i < n_written; ++i) {
    const auto tile = values<std::uint32_t>(tiles).subspan(3 * std::size_t{i}, 3);
    for (std::uint32_t p = tile[1]; p < std::min(tile[2], tile[1] + kTileRows); ++p) {
      ++covered[p];
      EXPECT_EQ(chosen[source[p]], tile[0]);
      EXPECT_EQ(place[source[p]], p);
    }
  }
  EXPECT_EQ(std::ranges::count(covered, 1), kChoices);
}

GpuDecoder decoder_of(const Model& model) {
  return GpuDecoder(*kernels::vulkan::some_gpu(), model,
                    {.n_ctx = 256,
                     .n_pages = 2,
                     .type_k = Dtype::F32,
                     .type_v = Dtype::F32,
                     .n_batch = 64,
                     .n_logits = 64});
}

// Choices one by one and in tiles: of four experts and two choices a token, 17 tokens and more.
const std::vector<std::vector<int>> kSplits{{40}, {1}, {8}, {12, 20, 1}};

class MixtureOfTypeTest : public testing::TestWithParam<Dtype> {};

TEST_P(MixtureOfTypeTest, RunsMatricesOfATypeAsTheirValues) {
  CONFAB_NEEDS_GPU();
  const TemporaryFolder folder;
  const kernels::DtypeInfo& type = kernels::info(GetParam());
  const auto write = [&](const char* name, bool decoded) {
    const std::string path = folder / name;
    std::ofstream(path, std::ios::binary) << ModelOfType(type, decoded, 256, 4).bytes();
    return load_bare_model(path);
  };
  const std::vector<Token> tokens = some_tokens(40, 7);
  const std::vector<float> want = run_model(write("values.gguf", true), tokens, {}, {40});
  const Model model = write("blocks.gguf", false);
  GpuDecoder decoder = decoder_of(model);
  // Of the weights in Q6_K, one token's choice is nearly a tie, which signed bytes decide
  // otherwise.
  const double most = GetParam() == Dtype::Q6_K ? 2e-2 : 2e-3;
  // Matrix cores take f16 where rows are many.
  const double of_cuts = kernels::vulkan::some_gpu()->matrix_cores ? most : 1e-4;
  const std::vector<float> whole = logits_of(decoder, tokens, {40});
  for (const std::vector<int>& split : kSplits) {
    const std::vector<float> got = logits_of(decoder, tokens, split);
    EXPECT_LE(difference(std::span(got), std::span(want)).nmse, most) << split[0];
    EXPECT_LE(difference(std::span(got), std::span(whole)).nmse, of_cuts) << split[0];
  }
}

INSTANTIATE_TEST_SUITE_P(, MixtureOfTypeTest,
                         testing::Values(Dtype::F16, Dtype::Q8_0, Dtype::Q4_K, Dtype::Q6_K,
                                         Dtype::MXFP4),
                         [](const testing::TestParamInfo<Dtype>& param_info) {
                           return std::string(kernels::info(param_info.param).name);
                         });

TEST(MixtureRecorderTest, ExpertsRunHoweverTheyLieInTheFile) {
  CONFAB_NEEDS_GPU();
  const std::vector<Token> tokens = some_tokens(40, 11);
  for (const TinyExperts layout : {TinyExperts::stacked, TinyExperts::fused, TinyExperts::apart}) {
    for (const bool quantised : {false, true}) {
      const TinyModelFile file({.architecture = "qwen2moe",
                                .quantised = quantised,
                                .n_expert = 4,
                                .n_ff_shared = 32,
                                .experts = layout});
      const Model model = load_bare_model(file.path());
      ASSERT_EQ(gpu_refusal(model, Dtype::F32, Dtype::F32), "");
      const std::vector<float> want = run_model(model, tokens, {}, {40});
      GpuDecoder decoder = decoder_of(model);
      for (const std::vector<int>& split : kSplits) {
        const std::vector<float> got = logits_of(decoder, tokens, split);
        EXPECT_LE(difference(std::span(got), std::span(want)).nmse, 5e-4)
            << static_cast<int>(layout) << ' ' << quantised << ' ' << split[0];
      }
    }
  }
}

TEST(MixtureRecorderTest, PassesRepeatBitForBit) {
  CONFAB_NEEDS_GPU();
  const TinyModelFile file({.quantised = true, .n_expert = 4});
  const Model model = load_bare_model(file.path());
  const std::vector<Token> tokens = some_tokens(40, 12);
  GpuDecoder decoder = decoder_of(model);
  const std::vector<float> first = logits_of(decoder, tokens, {40});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(logits_of(decoder, tokens, {40}), first));
  EXPECT_TRUE(same_bits(logits_of(decoder, tokens, {1}), logits_of(decoder, tokens, {2})));
  EXPECT_TRUE(same_bits(logits_of(decoder, tokens, {4}), logits_of(decoder, tokens, {8})));
}

}  // namespace
}  // namespace confab::engine
