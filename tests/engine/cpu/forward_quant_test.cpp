// SPDX-License-Identifier: MIT
// The forward pass of quantised models against the same weights in f32, on every instruction set:
// what rounding activations to 8 bits may cost is what it costs the reference.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden.h"
#include "tests/engine/model_of_type.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/testing.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using kernels::DtypeInfo;
using kernels::KernelTable;
using nlohmann::json;

constexpr double kExactNmse = 1e-10;
constexpr double kOfReference = 1.2;

class ForwardOfTypeTest : public testing::TestWithParam<const KernelTable*> {};

TEST_P(ForwardOfTypeTest, RunsMatricesOfEveryTypeAsTheirValues) {
  const TemporaryFolder folder;
  const std::vector<Token> tokens{72, 101, 108, 108, 111, 32, 119, 111, 114, 108, 100, 33};
  const auto run = [&](const std::string& bytes, bool exact) {
    std::ofstream(folder / "model.gguf", std::ios::binary) << bytes;
    const Model model = load_bare_model(folder / "model.gguf");
    return run_model(model, tokens, {.table = GetParam(), .exact = exact}, {12});
  };
  for (const DtypeInfo* type : kernels::testing::all_dtypes()) {
    const ModelOfType packed(*type, false), decoded(*type, true);
    const std::vector<float> want = run(decoded.bytes(), true);
    const auto nmse = [&](const std::vector<float>& got) {
      return difference(std::span<const float>(got), std::span<const float>(want)).nmse;
    };
    EXPECT_LE(nmse(run(packed.bytes(), true)), kExactNmse) << type->name;
    const double fast = nmse(run(packed.bytes(), false));
    // bf16 rounds a value by up to 2^-9 of it, 2^-18 / 3 = 1.3e-6 of the square, in each of some
    // 20 products on the way; eight bits with a scale round by more.
    const bool is_bf16 = type->dtype == kernels::Dtype::BF16;
    const bool rounds = type->block > 1 || is_bf16;
    EXPECT_LE(fast, is_bf16 ? 5e-5 : rounds ? 2e-3 : kExactNmse) << type->name;
    EXPECT_GE(fast, rounds ? 1e-6 : 0) << type->name << " did not take the fast path";
  }
}

INSTANTIATE_TEST_SUITE_P(, ForwardOfTypeTest, all_tables(), table_name);

class ForwardQuantFidelityTest : public testing::TestWithParam<const KernelTable*> {
 protected:
  void SetUp() override { CONFAB_NEEDS_GOLDEN_FOLDER(); }

  void check(const std::filesystem::path& folder, const json& entry) {
    const auto name = entry["model"].get<std::string>();
    const Model model = load_bare_model(folder / name);
    const auto tokens = entry["tokens"].get<std::vector<Token>>();
    const std::vector<float> truth = read_npy(folder / entry["truth"].get<std::string>());
    const auto nmse = [&](const std::vector<float>& got) {
      return difference(std::span<const float>(got), std::span<const float>(truth)).nmse;
    };
    RunOptions options{.table = GetParam(), .n_threads = 2};
    EXPECT_LE(nmse(run_model(model, tokens, options, {64})), kExactNmse) << name;
    options.exact = false;
    const std::vector<float> fast = run_model(model, tokens, options, {64});
    const double ratio = nmse(fast) / entry["ref_nmse_vs_truth"].get<double>();
    EXPECT_LE(ratio, kOfReference) << name;
    RecordProperty(name, std::to_string(ratio));
    const std::vector<float> split = run_model(model, tokens, options, {7, 40, 1});
    EXPECT_EQ(std::memcmp(split.data(), fast.data(), fast.size() * sizeof(float)), 0) << name;
  }
};

TEST_P(ForwardQuantFidelityTest, LosesNoMoreThanTheReference) {
  const std::filesystem::path folder = golden_folder() / "quant" / "models";
  std::set<std::string> covered;
  for (const json& entry : json::parse(read_text(folder / "index.json"))) {
    check(folder, entry);
    covered.insert(entry["model"].get<std::string>());
  }
  for (const auto& item : std::filesystem::directory_iterator(folder)) {
    const std::string name = item.path().filename().string();
    if (item.path().extension() == ".gguf") {
      EXPECT_EQ(covered.count(name), 1U) << name;
    }
  }
  EXPECT_FALSE(covered.empty());
}

INSTANTIATE_TEST_SUITE_P(, ForwardQuantFidelityTest, all_tables(), table_name);

}  // namespace
}  // namespace confab::engine
