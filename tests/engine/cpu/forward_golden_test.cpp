// SPDX-License-Identifier: MIT
// The forward pass against logits that a trusted implementation gave, on every instruction set. The
// bars are those of the golden data's README.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/cpu/forward.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden_cases.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::KernelTable;
using nlohmann::json;

constexpr double kExactNmse = 1e-10;
constexpr double kExactMaxAbs = 5e-4;
constexpr double kF16CacheNmse = 1e-4;
constexpr double kNearTie = 1e-3;
constexpr double kOfReference = 1.2;

// How a prompt of 64 tokens is cut up; the last size is used again and again.
const std::vector<std::vector<int>> kSplits{{64}, {1}, {7}, {40, 1}, {63}};

using ArchitectureParam = std::tuple<const KernelTable*, GoldenCase>;
class ForwardArchitectureFidelityTest : public testing::TestWithParam<ArchitectureParam> {
 protected:
  void SetUp() override {
    const GoldenCase& golden = std::get<1>(GetParam());
    tokens_ = golden.tokens();
    runs_ = golden.runs();
    ASSERT_FALSE(runs_.empty());
    model_.emplace(load_bare_model(golden.model()));
  }

  RunOptions options_of(const GoldenRun& run, int n_threads = 2) const {
    return {.table = std::get<0>(GetParam()), .n_threads = n_threads, .n_ctx = run.n_ctx};
  }

  // The logits of the prompt, cut up as told.
  std::vector<float> logits(const RunOptions& options, const std::vector<int>& split) const {
    return run_model(*model_, tokens_, options, split);
  }

  std::vector<GoldenRun> runs_;
  std::vector<Token> tokens_;
  std::optional<Model> model_;
};

TEST_P(ForwardArchitectureFidelityTest, EverySplitOfThePromptMeetsTheBar) {
  for (const GoldenRun& run : runs_) {
    std::vector<float> whole;
    for (const std::vector<int>& split : kSplits) {
      const std::vector<float> got = logits(options_of(run), split);
      if (whole.empty()) whole = got;
      EXPECT_TRUE(same_bits(got, whole)) << split[0];
    }
    const Difference d =
        difference(std::span<const float>(whole), std::span<const float>(run.logits));
    EXPECT_LE(d.nmse, kExactNmse) << run.n_ctx;
    EXPECT_LE(d.max_abs, kExactMaxAbs) << run.n_ctx;
    RecordProperty("nmse_ctx" + std::to_string(run.n_ctx), fmt::format("{:.2e}", d.nmse));
  }
}

TEST_P(ForwardArchitectureFidelityTest, TheNumberOfThreadsChangesNoBit) {
  const GoldenRun& run = runs_.front();
  const std::vector<float> alone = logits(options_of(run, 1), {40, 1});
  EXPECT_TRUE(same_bits(logits(options_of(run, 2), {40, 1}), alone));
  EXPECT_TRUE(same_bits(logits(options_of(run, 3), {40, 1}), alone));
}

TEST_P(ForwardArchitectureFidelityTest, F16CacheMeetsItsBar) {
  const GoldenRun& run = runs_.front();
  RunOptions options = options_of(run);
  options.kv = Dtype::F16;
  const std::vector<float> got = logits(options, {64});
  EXPECT_LE(difference(std::span<const float>(got), std::span<const float>(run.logits)).nmse,
            kF16CacheNmse);
}

TEST_P(ForwardArchitectureFidelityTest, GreedyTokensAgreeUpToTheFirstNearTie) {
  for (const GoldenRun& run : runs_) {
    std::vector<float> got;
    Runner runner(*model_, options_of(run));
    std::span<const float> row = runner.run(tokens_, LogitsOf::last_token);
    for (std::size_t i = 0; i < run.greedy_tokens.size() && run.margins[i] >= kNearTie; ++i) {
      const auto best = static_cast<Token>(std::ranges::max_element(row) - row.begin());
      ASSERT_EQ(best, run.greedy_tokens[i]) << i;
      row = runner.run({&best, 1}, LogitsOf::last_token);
      got.insert(got.end(), row.begin(), row.end());
    }
    if (got.empty()) continue;
    const auto want = std::span<const float>(run.greedy_logits).first(got.size());
    const Difference d = difference(std::span<const float>(got), want);
    EXPECT_LE(d.nmse, kExactNmse);
    EXPECT_LE(d.max_abs, kExactMaxAbs);
  }
}

INSTANTIATE_TEST_SUITE_P(, ForwardArchitectureFidelityTest,
                         testing::Combine(all_tables(), testing::ValuesIn(golden_cases())),
                         [](const testing::TestParamInfo<ArchitectureParam>& param_info) {
                           std::string name =
                               std::string(kernels::name(std::get<0>(param_info.param)->isa)) +
                               "_" + std::get<1>(param_info.param).name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

class ForwardCacheFidelityTest : public testing::TestWithParam<const KernelTable*> {
 protected:
  void SetUp() override { CONFAB_NEEDS_GOLDEN_FOLDER(); }
};

TEST_P(ForwardCacheFidelityTest, CacheTypesLoseNoMoreThanTheReference) {
  const std::filesystem::path folder = golden_folder() / "kvcache";
  const json read = read_json(folder / "kv.json");
  const auto tokens = read["tokens"].get<std::vector<Token>>();
  const std::vector<float> truth = read_npy(folder / "truth.npy");
  const Model model = load_bare_model(folder / "model.gguf");
  const auto nmse_of = [&](Dtype kv, const std::vector<int>& pieces) {
    const RunOptions options{.table = GetParam(), .n_threads = 2, .n_batch = 192, .kv = kv};
    const std::vector<float> got = run_model(model, tokens, options, pieces);
    return difference(std::span<const float>(got), std::span<const float>(truth)).nmse;
  };
  EXPECT_LE(nmse_of(Dtype::F32, {192}), kExactNmse);
  for (const json& result : read["results"]) {
    const std::string type = result["type_k"];
    if (result["type_v"] != type || !result["flash_attn"].get<bool>()) continue;
    if (type != "f16" && type != "q8_0") continue;
    const Dtype kv = type == "f16" ? Dtype::F16 : Dtype::Q8_0;
    EXPECT_LE(nmse_of(kv, {192}), kOfReference * result["ref_nmse"].get<double>()) << type;
    EXPECT_LE(nmse_of(kv, {100, 1}),
              kOfReference * result["ref_nmse_prefill100_then_decode"].get<double>())
        << type;
  }
}

INSTANTIATE_TEST_SUITE_P(, ForwardCacheFidelityTest, all_tables(), table_name);

}  // namespace
}  // namespace confab::engine
