// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::kernels::vulkan {
namespace {

TEST(GpuProgramTest, IsCompiledOnceForItsConstants) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  const std::uint32_t few = 64, many = 128;
  const Program& program = gpu.program(Shader::logits, 0, {&few, 1});
  EXPECT_EQ(&gpu.program(Shader::logits, 0, {&few, 1}), &program);
  EXPECT_NE(&gpu.program(Shader::logits, 0, {&many, 1}), &program);
  EXPECT_EQ(program.shader, Shader::logits);
}

}  // namespace
}  // namespace confab::kernels::vulkan
