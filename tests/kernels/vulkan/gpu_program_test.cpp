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

TEST(GpuProgramTest, IsNamedAsItsFileAndCounted) {
  CONFAB_NEEDS_GPU();
  Gpu gpu(*some_gpu());
  EXPECT_EQ(name(Shader::logits), "logits");
  EXPECT_EQ(name(Shader::rope_append), "rope_append");
  const std::uint32_t few = 64;
  const Program& floats = gpu.program(Shader::embed, 0, {&few, 1});
  const Program& packed = gpu.program(Shader::embed, 12, {&few, 1});
  EXPECT_EQ(floats.format, 0U);
  EXPECT_EQ(packed.format, 12U);
  EXPECT_GT(floats.n_instructions, 50);
  EXPECT_GT(packed.n_instructions, floats.n_instructions) << "Q4_K has to be unpacked";
}

}  // namespace
}  // namespace confab::kernels::vulkan
