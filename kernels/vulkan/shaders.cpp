// SPDX-License-Identifier: MIT
// The programs' SPIR-V, as glslc makes it when the project is built.
#include <algorithm>
#include <array>

#include "kernels/vulkan/gpu_state.h"

namespace confab::kernels::vulkan {
namespace {

struct Words {
  Shader shader;
  std::uint32_t format;
  std::span<const std::uint32_t> words;
};

// kernels/CMakeLists.txt writes it: an array for each program, and the list of them, kAll.
#include "shaders.inc"

}  // namespace

std::span<const std::uint32_t> spirv(Shader shader, std::uint32_t format) noexcept {
  for (const Words& w : kAll)
    if (w.shader == shader && w.format == format) return w.words;
  return {};
}

}  // namespace confab::kernels::vulkan
