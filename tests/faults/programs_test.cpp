// SPDX-License-Identifier: MIT
// What must hold when the driver of a graphics processor gets one program wrong: it is found before
// the model is copied, remembered, and done without.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/app/program.h"
#include "tests/engine/model_of_type.h"
#include "tests/faults/program_digest.h"

#ifdef CONFAB_VULKAN_SHIM
#include "kernels/vulkan/gpu_state.h"
#endif

namespace confab::faults {
namespace {

#ifdef CONFAB_VULKAN_SHIM

using app::RunResult;
using kernels::Dtype;
using kernels::vulkan::Shader;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint32_t kQ4_K = static_cast<std::uint32_t>(Dtype::Q4_K);

// Of a mixture: its experts are most of the logits, as a check with room for rounding in a router
// sees nothing else.
constexpr float kLoudness = 6;

// A model of Q4_K but for its norms, a mixture of experts or not.
class WrongProgramTest : public testing::Test {
 protected:
  explicit WrongProgramTest(std::uint32_t n_expert = 0) {
    std::ofstream(path(), std::ios::binary)
        << engine::ModelOfType(kernels::info(Dtype::Q4_K), false, 256, n_expert, kLoudness).bytes();
  }
  std::string path() const { return (home_.path() / "model.gguf").string(); }

  RunResult run(const std::vector<std::string>& device) {
    std::filesystem::remove(log_);
    std::vector<std::string> words{"-m", path(), "-p",     "Tell me all about it.",
                                   "-n", "4",    "--temp", "0"};
    words.insert(words.end(), device.begin(), device.end());
    const char* layers = std::getenv("VK_INSTANCE_LAYERS");
    return app::run_program(
        home_, words, "",
        {"LD_LIBRARY_PATH=" CONFAB_VULKAN_SHIM, "DEVICE_WRONG=" + wrong_, "DEVICE_CORES=" + cores_,
         "DEVICE_LOG=" + log_.string(),
         std::string("VK_INSTANCE_LAYERS=") + (layers != nullptr ? layers : "")});
  }
  void break_program(Shader shader, std::uint32_t format) {
    wrong_ = std::to_string(program_digest(kernels::vulkan::spirv(shader, format)));
  }
  std::size_t n_submissions() const {
    std::ifstream log(log_);
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>(), '.'));
  }
  const TempDir home_;
  const std::filesystem::path log_ = home_.path() / "calls";
  std::string wrong_ = {}, cores_ = {};
};

const std::vector<std::string> kProcessor{"--device", "cpu"}, kOrdered{"--device", "vulkan"},
    kHoped{"-ngl", "all"};

TEST_F(WrongProgramTest, IsRememberedAndTheProcessorRunsTheModel) {
  const RunResult expected = run(kProcessor);
  break_program(Shader::matvec, kQ4_K);
  const RunResult hoped = run(kHoped);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << hoped.err;
  EXPECT_EQ(hoped.status, expected.status);
  EXPECT_EQ(hoped.out, expected.out);
  EXPECT_THAT(hoped.err, AllOf(HasSubstr("runs on the processor"),
                               HasSubstr("computes wrongly (its logits are off by"),
                               HasSubstr("a newer version of its driver may not")));
  const RunResult ordered = run(kOrdered);
  EXPECT_EQ(n_submissions(), 0U) << "remembered, for that driver";
  EXPECT_EQ(ordered.status, 1);
  EXPECT_EQ(ordered.out, "");
  EXPECT_THAT(ordered.err, AllOf(HasSubstr("--device vulkan"), HasSubstr("computes wrongly"),
                                 HasSubstr("--device cpu")));
}

TEST_F(WrongProgramTest, MatrixCoresAreDoneWithout) {
  const RunResult without = run(kOrdered);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << without.err;
  cores_ = "1";
  for (const bool again : {false, true}) {
    const RunResult result = run(kOrdered);
    EXPECT_EQ(result.status, without.status) << result.err;
    EXPECT_EQ(result.out, without.out);
    EXPECT_GT(n_submissions(), 0U);
    EXPECT_THAT(result.err,
                HasSubstr("computes wrongly with its matrix cores and runs without them"))
        << again;
  }
}

// Each of the others, by itself.
class EachProgramTest : public WrongProgramTest, public testing::WithParamInterface<Shader> {
 protected:
  EachProgramTest() : WrongProgramTest(is_of_mixture() ? 4 : 0) {}
  static bool is_of_mixture() {
    const Shader shader = GetParam();
    return shader == Shader::route || shader == Shader::group || shader == Shader::gather ||
           shader == Shader::combine;
  }
};

TEST_P(EachProgramTest, IsFound) {
  const bool has_formats = !kernels::vulkan::spirv(GetParam(), kQ4_K).empty();
  break_program(GetParam(), has_formats ? kQ4_K : 0);
  const RunResult result = run(kOrdered);
  if (n_submissions() == 0) GTEST_SKIP() << "no graphics processor here: " << result.err;
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("computes wrongly (its logits are off by"));
}

INSTANTIATE_TEST_SUITE_P(, EachProgramTest,
                         testing::Values(Shader::activate, Shader::attention,
                                         Shader::attention_tiles, Shader::combine, Shader::embed,
                                         Shader::gather, Shader::group, Shader::matmul,
                                         Shader::norm, Shader::rope_append, Shader::route,
                                         Shader::top),
                         [](const testing::TestParamInfo<Shader>& param_info) {
                           return std::string(kernels::vulkan::name(param_info.param));
                         });

#endif

}  // namespace
}  // namespace confab::faults
