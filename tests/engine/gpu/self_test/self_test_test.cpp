// SPDX-License-Identifier: MIT
// On whatever plays the graphics processor here: of each architecture, all programs are right.
#include "tests/engine/gpu/self_test/self_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/gpu/gpu_model.h"
#include "kernels/isa.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

// Norms of both kinds, before and after parts, of heads and rows; rotations, windows, sinks, biases
// and caps; mixtures of experts, by themselves and beside a plain feed-forward.
std::vector<GoldenCase> some_cases() {
  std::vector<GoldenCase> cases = golden_cases();
  const std::set<std::string> wanted{"cohere2",    "gemma2-46-layers",     "gemma3-pattern",
                                     "gemma4-moe", "gpt-oss-other-sizes",  "granite-moe",
                                     "olmo2",      "mistral3-temperature", "qwen3moe-top3"};
  std::erase_if(cases, [&](const GoldenCase& c) { return !wanted.contains(c.name); });
  return cases;
}

class GpuSelfTest : public testing::TestWithParam<GoldenCase> {};

TEST_P(GpuSelfTest, FindsAllProgramsRight) {
  CONFAB_NEEDS_GPU();
  const Model model = load_bare_model(GetParam().model());
  if (const std::string why = gpu_refusal(model, Dtype::F16, Dtype::F16); !why.empty())
    GTEST_SKIP() << "this model " << why;
  const WrongPrograms wrong =
      test_programs(*kernels::vulkan::some_gpu(),
                    {model, Dtype::F16, Dtype::F16, kernels::choose_kernel_table({})});
  EXPECT_EQ(wrong.others, "");
  EXPECT_EQ(wrong.of_matrix_cores, "");
}

INSTANTIATE_TEST_SUITE_P(, GpuSelfTest, testing::ValuesIn(some_cases()),
                         [](const testing::TestParamInfo<GoldenCase>& param_info) {
                           std::string name = param_info.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace confab::engine
