// SPDX-License-Identifier: MIT
// Products with matrices of each number format.
#include <gtest/gtest.h>

#include <fstream>

#include "kernels/isa.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/gpu/self_test/self_test.h"
#include "tests/engine/model_of_type.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

class ProductCasesTest : public testing::TestWithParam<Dtype> {};

TEST_P(ProductCasesTest, ProgramsOfAFormatAreRight) {
  CONFAB_NEEDS_GPU();
  const TemporaryFolder folder;
  const std::string path = folder / "blocks.gguf";
  // Rows of whole planes, where these are of many blocks.
  const std::uint32_t width = GetParam() == Dtype::Q6_K ? 2048 : 256;
  std::ofstream(path, std::ios::binary)
      << ModelOfType(kernels::info(GetParam()), false, width).bytes();
  const Model model = load_bare_model(path);
  const WrongPrograms wrong =
      test_programs(*kernels::vulkan::some_gpu(),
                    {model, Dtype::Q8_0, Dtype::Q8_0, kernels::choose_kernel_table({})});
  EXPECT_EQ(wrong.others, "");
  EXPECT_EQ(wrong.of_matrix_cores, "");
}

// Floats, bytes as they are and in planes, small and large steps, a grid. All formats by
// themselves: gpu_formats_test.cpp, gpu_decoder_test.cpp.
INSTANTIATE_TEST_SUITE_P(, ProductCasesTest,
                         testing::Values(Dtype::F16, Dtype::Q8_0, Dtype::Q4_K, Dtype::Q6_K,
                                         Dtype::IQ3_XXS, Dtype::MXFP4),
                         [](const testing::TestParamInfo<Dtype>& param_info) {
                           return std::string(kernels::info(param_info.param).name);
                         });

}  // namespace
}  // namespace confab::engine
