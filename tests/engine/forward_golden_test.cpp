// SPDX-License-Identifier: MIT
// The forward pass against logits that a trusted implementation gave, on every instruction set. The
// bars are those of the golden data's README.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/forward.h"
#include "tests/engine/golden.h"
#include "tests/engine/run_model.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::KernelTable;
using nlohmann::json;

constexpr double kExactNmse = 1e-10;
constexpr double kExactMaxAbs = 5e-4;
constexpr double kNearTie = 1e-3;
constexpr double kOfReference = 1.2;

const std::vector<std::vector<int>> kSplits{{64}, {1}, {7}, {40, 1}, {40}, {63}};

json read_json(const std::filesystem::path& path) {
  return json::parse(read_text(path));
}

using ArchitectureParam = std::tuple<const KernelTable*, std::string>;
class ForwardArchitectureTest : public testing::TestWithParam<ArchitectureParam> {
 protected:
  void SetUp() override {
    CONFAB_NEEDS_GOLDEN_FOLDER();
    folder_ = golden_folder() / "arch" / std::get<1>(GetParam());
    const json read = read_json(folder_ / "case.json");
    tokens_ = read["tokens"].get<std::vector<Token>>();
    run_ = read["runs"][0];
    model_.emplace(load_bare_model(folder_ / "model.gguf"));
    options_.table = std::get<0>(GetParam());
    options_.n_threads = 2;
    want_ = read_npy(folder_ / run_["logits"].get<std::string>());
  }

  std::filesystem::path folder_;
  json run_;
  std::vector<Token> tokens_;
  std::optional<Model> model_;
  RunOptions options_;
  std::vector<float> want_;
};

TEST_P(ForwardArchitectureTest, EverySplitOfThePromptMeetsTheBar) {
  std::vector<float> whole;
  for (const std::vector<int>& split : kSplits) {
    const std::vector<float> got = run_model(*model_, tokens_, options_, split);
    const Difference d = difference(std::span<const float>(got), std::span<const float>(want_));
    EXPECT_LE(d.nmse, kExactNmse) << split[0];
    EXPECT_LE(d.max_abs, kExactMaxAbs) << split[0];
    if (whole.empty()) whole = got;
    EXPECT_EQ(std::memcmp(got.data(), whole.data(), got.size() * sizeof(float)), 0) << split[0];
  }
}

TEST_P(ForwardArchitectureTest, F16CacheMeetsItsBar) {
  options_.kv = Dtype::F16;
  const std::vector<float> got = run_model(*model_, tokens_, options_, {64});
  EXPECT_LE(difference(std::span<const float>(got), std::span<const float>(want_)).nmse, 1e-4);
}

TEST_P(ForwardArchitectureTest, GreedyTokensAgreeUpToTheFirstNearTie) {
  const auto want_tokens = run_["greedy_tokens"].get<std::vector<Token>>();
  const auto margins = run_["greedy_top1_margin"].get<std::vector<double>>();
  const std::vector<float> want = read_npy(folder_ / run_["greedy_logits"].get<std::string>());
  const std::size_t n_vocab = want.size() / want_tokens.size();
  Runner runner(*model_, options_);
  std::span<const float> row = runner.forward.run(tokens_, LogitsOf::last_token);
  for (std::size_t i = 0; i < want_tokens.size() && margins[i] >= kNearTie; ++i) {
    const auto best = static_cast<Token>(std::ranges::max_element(row) - row.begin());
    ASSERT_EQ(best, want_tokens[i]) << i;
    row = runner.forward.run({&best, 1}, LogitsOf::last_token);
    const Difference d =
        difference(row, std::span<const float>(want).subspan(i * n_vocab, n_vocab));
    EXPECT_LE(d.nmse, kExactNmse) << i;
    EXPECT_LE(d.max_abs, kExactMaxAbs) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , ForwardArchitectureTest,
    testing::Combine(all_tables(), testing::Values("llama-tied", "llama3-ropefreqs", "llama-yarn",
                                                   "llama-hd32-linear-bias", "qwen2")),
    [](const testing::TestParamInfo<ArchitectureParam>& param_info) {
      std::string name = std::string(kernels::name(std::get<0>(param_info.param)->isa)) + "_" +
                         std::get<1>(param_info.param);
      std::ranges::replace(name, '-', '_');
      return name;
    });

class ForwardQuantisedTest : public testing::TestWithParam<const KernelTable*> {
 protected:
  void SetUp() override { CONFAB_NEEDS_GOLDEN_FOLDER(); }
};

TEST_P(ForwardQuantisedTest, LosesNoMoreThanTheReference) {
  const std::filesystem::path folder = golden_folder() / "quant" / "models";
  int n_run = 0;
  for (const json& entry : read_json(folder / "index.json")) {
    const auto name = entry["model"].get<std::string>();
    if (name != "q-Q4_K_M.gguf" && name != "q-Q5_K_M.gguf" && name != "q-Q8_0.gguf" &&
        name != "q1-Q4_0.gguf" && name != "q1-Q6_K.gguf") {
      continue;
    }
    const Model model = load_bare_model(folder / name);
    const auto tokens = entry["tokens"].get<std::vector<Token>>();
    const std::vector<float> truth = read_npy(folder / entry["truth"].get<std::string>());
    const double bar = kOfReference * entry["ref_nmse_vs_truth"].get<double>();
    RunOptions options{.table = GetParam(), .n_threads = 2};
    const std::vector<float> exact = run_model(model, tokens, options, {64});
    EXPECT_LE(difference(std::span<const float>(exact), std::span<const float>(truth)).nmse,
              kExactNmse)
        << name;
    options.exact = false;
    const std::vector<float> fast = run_model(model, tokens, options, {64});
    const double nmse =
        difference(std::span<const float>(fast), std::span<const float>(truth)).nmse;
    EXPECT_LE(nmse, bar) << name;
    RecordProperty(name, std::to_string(nmse / bar * kOfReference));
    const std::vector<float> split = run_model(model, tokens, options, {7, 40, 1});
    EXPECT_EQ(std::memcmp(split.data(), fast.data(), fast.size() * sizeof(float)), 0) << name;
    ++n_run;
  }
  EXPECT_EQ(n_run, 5);
}

TEST_P(ForwardQuantisedTest, CacheTypesLoseNoMoreThanTheReference) {
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

INSTANTIATE_TEST_SUITE_P(, ForwardQuantisedTest, all_tables(), table_name);

}  // namespace
}  // namespace confab::engine
